#include "http/problem_texts.h"

#include <iterator>

namespace maejin::http {
namespace {

// A title names the kind of problem and is the same in all its occurrences (RFC 9457, 3.1.3). Details address
// the fan, in English, Korean, Japanese and traditional Chinese.
constexpr ProblemText kRefusals[] = {
    {400, "invalid-json", "Invalid JSON", "The body is not valid JSON.", "본문이 올바른 JSON이 아닙니다.",
     "本文が正しいJSONではありません。", "內容不是有效的 JSON。"},
    {400, "invalid-field", "Invalid field", "A field is missing or has a value that is not allowed.",
     "필드가 없거나 허용되지 않는 값입니다.", "項目が不足しているか、値が正しくありません。",
     "欄位缺漏或內容不允許。"},
    {404, "not-found", "Not found", "No resource has this address.", "찾을 수 없습니다.", "見つかりません。",
     "找不到此位址。"},
    {405, "method-not-allowed", "Method not allowed", "This address does not support the method.",
     "이 주소에서 허용되지 않는 메서드입니다.", "このアドレスでは使えないメソッドです。",
     "此位址不支援這個方法。"},
    {413, "payload-too-large", "Payload too large", "The body is too large.", "본문이 너무 큽니다.",
     "本文が大きすぎます。", "內容過大。"},
    {415, "unsupported-media-type", "Unsupported media type", "Send the body as application/json.",
     "본문은 application/json 형식으로 보내 주세요.", "本文はapplication/jsonで送信してください。",
     "請以 application/json 傳送內容。"},
    {429, "too-many-requests", "Too many requests", "Too many requests. Try again a little later.",
     "요청이 너무 많습니다. 잠시 후 다시 시도해 주세요.",
     "リクエストが多すぎます。しばらくしてからもう一度お試しください。", "要求過於頻繁，請稍後再試。"},
    {503, "unavailable", "Unavailable", "The service is busy. Try again in a moment.",
     "서비스가 혼잡합니다. 잠시 후 다시 시도해 주세요.",
     "ただいま混み合っています。しばらくしてからもう一度お試しください。", "系統忙碌中，請稍後再試。"},
    {422, "idempotency-mismatch", "Idempotency key reused",
     "This Idempotency-Key was already used with another body.",
     "이 Idempotency-Key는 이미 다른 본문으로 사용되었습니다.",
     "このIdempotency-Keyは別の本文ですでに使われています。", "此 Idempotency-Key 已用於其他內容。"},
    {409, "idempotency-running", "Request still running",
     "The first request with this Idempotency-Key is still running.",
     "같은 Idempotency-Key의 첫 요청이 아직 처리 중입니다.",
     "同じIdempotency-Keyの最初のリクエストを処理中です。",
     "使用此 Idempotency-Key 的第一個要求仍在處理中。"},
    {401, "unauthorized", "Unauthorized", "Authentication required.", "인증이 필요합니다.",
     "認証が必要です。", "需要驗證身分。"},
    {403, "forbidden", "Forbidden", "Access denied.", "권한이 없습니다.", "権限がありません。", "沒有權限。"},
    {401, "token-invalid", "Invalid token", "The token is not valid.", "유효하지 않은 토큰입니다.",
     "無効なトークンです。", "權杖無效。"},
    {404, "room-not-found", "Room not found", "There is no such waiting room.", "대기열을 찾을 수 없습니다.",
     "順番待ちが見つかりません。", "找不到這個隊伍。"},
    {409, "room-closed", "Room closed", "The waiting room is closed.", "대기열이 닫혀 있습니다.",
     "順番待ちは終了しています。", "隊伍已關閉。"},
    {404, "not-queued", "Not queued", "You have no place in this line.", "대기열에 없습니다.",
     "この順番待ちに並んでいません。", "您不在這個隊伍中。"},
    {409, "not-your-turn", "Not your turn", "It is not your turn yet.", "아직 입장 순서가 아닙니다.",
     "まだ順番が来ていません。", "還沒輪到您。"},
    {409, "room-exists", "Room exists", "A waiting room has this id already.", "이미 있는 대기열 이름입니다.",
     "このIDの待機室はすでにあります。", "此代號的等候室已存在。"},
    {409, "room-in-use", "Room in use", "This waiting room belongs to a concert or to the whole site.",
     "공연 또는 사이트 전체에서 사용하는 대기열입니다.", "公演またはサイト全体で使われている待機室です。",
     "此等候室由節目或整個網站使用中。"},
    {400, "return-refused", "Return target refused",
     "The site that sent you here is not in the waiting room's list. Go back to it and try again.",
     "대기열에 등록되지 않은 사이트 주소입니다. 이전 사이트로 돌아가 다시 시도해 주세요.",
     "待機室に登録されていないサイトです。元のサイトに戻って、もう一度お試しください。",
     "送您前來的網站不在等候室的名單中，請返回該網站再試一次。"},
    {401, "return-code-invalid", "Invalid return code",
     "The return code was used already, has expired, or is for another site. Open the site again.",
     "이미 사용했거나 만료되었거나 다른 사이트의 복귀 코드입니다. 사이트를 다시 열어 주세요.",
     "リターンコードは使用済みか期限切れ、または別のサイト用です。サイトを開き直してください。",
     "返回代碼已使用、已過期或屬於其他網站，請重新開啟網站。"},
    {401, "wait-required", "Turn required", "Wait for your turn in the waiting room first.",
     "먼저 대기열에서 순서를 기다려 주세요.", "先に順番をお待ちください。", "請先排隊等候。"},
    {404, "concert-not-found", "Concert not found", "There is no such concert.", "공연을 찾을 수 없습니다.",
     "公演が見つかりません。", "找不到這個節目。"},
    {404, "schedule-not-found", "Schedule not found", "There is no such date.",
     "공연 회차를 찾을 수 없습니다.", "公演日が見つかりません。", "找不到這個場次。"},
    {404, "seat-not-found", "Seat not found", "There is no such seat.", "좌석을 찾을 수 없습니다.",
     "座席が見つかりません。", "找不到這個座位。"},
    {404, "reservation-not-found", "Reservation not found", "There is no such reservation.",
     "예매를 찾을 수 없습니다.", "予約が見つかりません。", "找不到這筆訂單。"},
    {404, "unknown-ticket", "Unknown ticket", "There is no such ticket.", "확인할 수 없는 티켓입니다.",
     "確認できないチケットです。", "查無此票券。"},
    {409, "already-open", "Already open", "Booking is already open.", "이미 예매가 시작되었습니다.",
     "すでに発売されています。", "已經開賣。"},
    {409, "not-open", "Not open", "Booking is not open.", "예매 가능한 시간이 아닙니다.",
     "現在は販売時間外です。", "目前未開放購票。"},
    {403, "pass-required", "Pass required", "Wait for your turn in the waiting room first.",
     "먼저 대기열에서 순서를 기다려 주세요.", "先に順番をお待ちください。", "請先排隊等候。"},
    {409, "sold-out", "Sold out", "Sold out.", "매진", "完売しました。", "已售完。"},
    {409, "seat-held", "Seat held", "Another customer is choosing this seat.", "다른 사용자가 선택 중",
     "他のお客様が選択中の座席です。", "其他人正在選擇這個座位。"},
    {409, "seat-taken", "Seat taken", "This seat is already booked.", "이미 예매된 좌석",
     "すでに販売された座席です。", "這個座位已售出。"},
    {429, "too-many-seats", "Too many seats", "You hold as many seats as one customer may.",
     "한 사람이 선택할 수 있는 좌석 수를 넘었습니다.", "お一人様の枚数制限を超えています。",
     "超過每人可選的座位數。"},
    {409, "hold-expired", "Hold expired", "The hold on these seats has expired.",
     "결제 시간이 만료되었습니다.", "座席の確保時間が過ぎました。", "座位保留時間已過。"},
    {409, "amount-mismatch", "Amount mismatch", "The amount is not the price of the reservation.",
     "결제 금액이 예매 금액과 다릅니다.", "お支払い金額が予約の金額と異なります。",
     "付款金額與訂單金額不符。"},
    {409, "already-paying", "Already paying", "A payment of this reservation is already in progress.",
     "이미 결제가 진행 중인 예매입니다.", "この予約は決済処理中です。", "這筆訂單正在付款中。"},
    {409, "already-extended", "Already extended", "The time to pay was extended once already.",
     "결제 시간은 한 번만 연장할 수 있습니다.", "時間の延長は1回のみです。", "付款時間只能延長一次。"},
    {409, "concert-cancelled", "Concert cancelled",
     "This concert was cancelled. Payments for it are returned in full.",
     "공연이 취소되었습니다. 결제하신 금액은 전액 환불됩니다.",
     "公演は中止になりました。お支払い金額は全額返金されます。", "節目已取消，已付款項將全額退款。"},
    {409, "concert-closed", "Concert closed", "The sale of this concert is closed.",
     "이 공연의 예매가 마감되었습니다.", "この公演の販売は終了しました。", "這個節目已結束售票。"},
    {409, "sales-ended", "Sales ended", "The sale of this date has ended.",
     "이 회차의 예매가 종료되었습니다.", "この公演日の販売は終了しました。", "這個場次已結束售票。"},
    {409, "not-closed", "Not closed", "The sale of this concert is not closed.",
     "예매가 마감되지 않은 공연입니다.", "この公演の販売は終了していません。", "這個節目尚未結束售票。"},
    {404, "payment-not-found", "Payment not found", "There is no such payment.", "결제를 찾을 수 없습니다.",
     "決済が見つかりません。", "找不到這筆付款。"},
    {409, "payment-declined", "Payment declined",
     "The payment was declined. The seats are still held for you: try again, or pay another way.",
     "결제가 거절되었습니다. 좌석은 유지되고 있으니 다시 시도하거나 다른 결제 수단을 이용해 주세요.",
     "決済が承認されませんでした。お席は確保されています。もう一度お試しいただくか、別の方法でお支払いくださ"
     "い。",
     "付款未通過。座位仍為您保留，請再試一次或改用其他付款方式。"},
    {409, "payment-refunded", "Payment refunded",
     "The payment came after the time was over and the seats were gone. Your money goes back to you.",
     "결제 시간이 지나 좌석이 다른 고객에게 판매되었습니다. 결제하신 금액은 자동으로 환불됩니다.",
     "お支払い時間が過ぎ、お席は他のお客様に販売されました。お支払い金額は自動で返金されます。",
     "付款時限已過，座位已售出。您的款項將自動退回。"},
    {403, "signature-invalid", "Invalid signature", "The signature is not valid.",
     "서명이 올바르지 않습니다.", "署名が正しくありません。", "簽章無效。"},
    {403, "signature-expired", "Signature expired",
     "The signed time differs from the server's by more than five minutes.",
     "서명된 시각이 서버 시각과 5분 넘게 차이 납니다.", "署名の時刻がサーバーの時刻と5分以上ずれています。",
     "簽署時間與伺服器相差超過五分鐘。"},
    {400, "target-refused", "Target refused",
     "Webhooks and health checks do not go to private or loopback addresses. `webhooks.allow-private` "
     "permits them.",
     "웹훅과 상태 확인은 사설 주소나 루프백 주소로 보낼 수 없습니다. `webhooks.allow-private` 설정으로 "
     "허용할 수 있습니다.",
     "Webhookとヘルスチェックは、プライベートまたはループバックのアドレスには送れません。`webhooks.allow-"
     "private`で許可できます。",
     "Webhook 與健康檢查不會送往私人或回送位址。可用 `webhooks.allow-private` 允許。"},
    {404, "webhook-not-found", "Webhook not found", "There is no such webhook.", "웹훅을 찾을 수 없습니다.",
     "Webhookが見つかりません。", "找不到這個 webhook。"},
    {404, "delivery-not-found", "Delivery not found", "The event feed has no such event.",
     "이벤트를 찾을 수 없습니다.", "イベントが見つかりません。", "找不到這個事件。"},
    {409, "webhook-disabled", "Webhook disabled", "The webhook is disabled. Set its status to active first.",
     "비활성화된 웹훅입니다. 먼저 상태를 active로 변경해 주세요.",
     "無効なWebhookです。先に状態をactiveにしてください。", "此 webhook 已停用，請先將狀態設為 active。"},
    {409, "too-many-webhooks", "Too many webhooks", "There are as many webhooks as one server may have.",
     "등록할 수 있는 웹훅 수를 넘었습니다.", "登録できるWebhookの数を超えています。",
     "webhook 數量已達上限。"},
    {404, "not-ranked", "Not ranked", "This concert or date is not in the ranking.", "순위에 없습니다.",
     "ランキングにありません。", "不在排行榜中。"},
    {503, "maintenance", "Maintenance",
     "The site is under maintenance. Your place in line and your bookings are kept. Try again in a moment.",
     "서비스 점검 중입니다. 대기 순서와 예매 내역은 유지됩니다. 잠시 후 다시 시도해 주세요.",
     "ただいまメンテナンス中です。順番と購入履歴は保持されます。しばらくしてからもう一度お試しください。",
     "網站維護中。您的順位與訂單都會保留，請稍後再試。"},
    {409, "rehearsal-running", "Rehearsal running",
     "A rehearsal runs on this server. Wait for its end, or cancel it first.",
     "이 서버에서 리허설이 진행 중입니다. 끝날 때까지 기다리거나 먼저 취소해 주세요.",
     "このサーバーでリハーサルが進行中です。終了を待つか、先に取り消してください。",
     "此伺服器正在進行演練。請等待結束，或先取消。"},
    {409, "sale-running", "Sale running",
     "Fans wait in line or choose seats now. A rehearsal would take power from them; `duringSale: true` "
     "starts "
     "it nevertheless.",
     "지금 대기 중이거나 좌석을 선택 중인 이용자가 있습니다. 리허설이 이들을 느리게 할 수 있습니다. "
     "그래도 시작하려면 `duringSale: true`로 요청해 주세요.",
     "現在、順番待ちまたは座席選択中の利用者がいます。リハーサルはその処理を遅くします。それでも開始する場合"
     "は"
     "`duringSale: true`を指定してください。",
     "目前有使用者正在排隊或選位，演練會拖慢他們。仍要開始請指定 `duringSale: true`。"},
    {409, "real-money", "Real money",
     "Payments on this server are real money. Rehearse on a server with the payment provider `instant` or "
     "`sandbox`.",
     "이 서버의 결제는 실제 결제입니다. 결제 방식이 `instant` 또는 `sandbox`인 서버에서 리허설해 주세요.",
     "このサーバーの支払いは実際の決済です。決済方式が`instant`または`sandbox`のサーバーで行ってください。",
     "此伺服器的付款為真實交易。請在付款方式為 `instant` 或 `sandbox` 的伺服器上演練。"},
};

constexpr ProblemText kServerProblems[] = {
    {400, "malformed-request", "Malformed request", "The request is not well-formed HTTP.",
     "올바른 HTTP 요청이 아닙니다.", "HTTPリクエストの形式が正しくありません。", "HTTP 要求格式不正確。"},
    {408, "request-timeout", "Request timeout", "The request took too long to arrive.",
     "요청 수신 시간이 초과되었습니다.", "リクエストの受信に時間がかかりすぎました。", "接收要求逾時。"},
    {409, "idempotency-interrupted", "Request interrupted",
     "The server stopped while the first request with this Idempotency-Key ran. Check whether it took "
     "effect; "
     "if not, repeat it with a new key.",
     "같은 Idempotency-Key의 첫 요청을 처리하던 중 서버가 중단되었습니다. 반영되었는지 확인한 뒤, 반영되지 "
     "않았다면 새 키로 "
     "다시 요청해 주세요.",
     "同じIdempotency-"
     "Keyの最初のリクエストの処理中にサーバーが停止しました。反映されたか確認し、されていなければ新しいキーで"
     "もう一度送信してください。",
     "處理使用此 Idempotency-Key 的第一個要求時伺服器中斷。請確認是否已生效；若未生效，請以新的金鑰重試。"},
    {414, "uri-too-long", "URI too long", "The address is too long.", "주소가 너무 깁니다.",
     "アドレスが長すぎます。", "位址過長。"},
    {417, "expectation-failed", "Expectation failed", "The server supports only Expect: 100-continue.",
     "100-continue 외의 Expect는 지원하지 않습니다.", "Expectは100-continueのみ使えます。",
     "僅支援 Expect: 100-continue。"},
    {431, "headers-too-large", "Headers too large", "The headers are too large.", "헤더가 너무 큽니다.",
     "ヘッダーが大きすぎます。", "標頭過大。"},
    {500, "internal-error", "Internal error", "Internal error. Try again.",
     "내부 오류가 발생했습니다. 다시 시도해 주세요.", "内部エラーが発生しました。もう一度お試しください。",
     "發生內部錯誤，請再試一次。"},
    {501, "not-implemented", "Not implemented", "The method or transfer coding is not supported.",
     "지원하지 않는 메서드 또는 전송 방식입니다.", "対応していないメソッドまたは転送方式です。",
     "不支援此方法或傳輸編碼。"},
    {505, "version-not-supported", "HTTP version not supported", "Use HTTP/1.1.", "HTTP/1.1만 지원합니다.",
     "HTTP/1.1をご利用ください。", "請使用 HTTP/1.1。"},
};

// The table follows the order of the enum; a test compares their codes.
static_assert(std::size(kRefusals) == kRefusalCount);

}  // namespace

const ProblemText& TextOf(Refusal refusal) { return kRefusals[static_cast<std::size_t>(Shown(refusal))]; }

const ProblemText& TextOf(ServerProblem problem) {
  return kServerProblems[static_cast<std::size_t>(problem)];
}

const ProblemText* FindProblem(std::string_view code) {
  for (const auto& text : kRefusals) {
    if (text.code == code) return &text;
  }
  for (const auto& text : kServerProblems) {
    if (text.code == code) return &text;
  }
  return nullptr;
}

}  // namespace maejin::http
