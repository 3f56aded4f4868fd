#include "http/problem.h"

#include <array>

#include "base/json_writer.h"
#include "server/jitter.h"

namespace maejin::http {
namespace {

// Titles name the kind of problem and stay the same for all (RFC 9457, 3.1.4); details address the fan.
constexpr ProblemText kRefusals[] = {
    {400, "invalid-json", "Invalid JSON", "The body is not valid JSON.", "본문이 올바른 JSON이 아닙니다."},
    {400, "invalid-field", "Invalid field", "A field is missing or has a value that is not allowed.",
     "필드가 없거나 허용되지 않는 값입니다."},
    {404, "not-found", "Not found", "No resource has this address.", "찾을 수 없습니다."},
    {405, "method-not-allowed", "Method not allowed", "This address does not support the method.",
     "이 주소에서 허용되지 않는 메서드입니다."},
    {413, "payload-too-large", "Payload too large", "The body is too large.", "본문이 너무 큽니다."},
    {415, "unsupported-media-type", "Unsupported media type", "Send the body as application/json.",
     "본문은 application/json 형식으로 보내 주세요."},
    {429, "too-many-requests", "Too many requests", "Too many requests. Try again a little later.",
     "요청이 너무 많습니다. 잠시 후 다시 시도해 주세요."},
    {503, "unavailable", "Unavailable", "The service is busy. Try again in a moment.",
     "서비스가 혼잡합니다. 잠시 후 다시 시도해 주세요."},
    {422, "idempotency-mismatch", "Idempotency key reused",
     "This Idempotency-Key was already used with another body.",
     "이 Idempotency-Key는 이미 다른 본문으로 사용되었습니다."},
    {409, "idempotency-running", "Request still running",
     "The first request with this Idempotency-Key is still running.",
     "같은 Idempotency-Key의 첫 요청이 아직 처리 중입니다."},
    {401, "unauthorized", "Unauthorized", "Authentication required.", "인증이 필요합니다."},
    {403, "forbidden", "Forbidden", "Access denied.", "권한이 없습니다."},
    {401, "token-invalid", "Invalid token", "The token is not valid.", "유효하지 않은 토큰입니다."},
    {404, "room-not-found", "Room not found", "There is no such waiting room.", "대기열을 찾을 수 없습니다."},
    {409, "room-closed", "Room closed", "The waiting room is closed.", "대기열이 닫혀 있습니다."},
    {404, "not-queued", "Not queued", "You have no place in this line.", "대기열에 없습니다."},
    {409, "not-your-turn", "Not your turn", "It is not your turn yet.", "아직 입장 순서가 아닙니다."},
    {409, "room-exists", "Room exists", "A waiting room has this id already.",
     "이미 있는 대기열 이름입니다."},
    {409, "room-in-use", "Room in use", "This waiting room belongs to a concert or to the whole site.",
     "공연 또는 사이트 전체에서 사용하는 대기열입니다."},
    {400, "return-refused", "Return target refused",
     "The site that sent you here is not in the waiting room's list. Go back to it and try again.",
     "대기열에 등록되지 않은 사이트 주소입니다. 이전 사이트로 돌아가 다시 시도해 주세요."},
    {401, "return-code-invalid", "Invalid return code",
     "The return code was used already, has expired, or is for another site. Open the site again.",
     "이미 사용했거나 만료된 복귀 코드입니다. 사이트를 다시 열어 주세요."},
    {401, "wait-required", "Turn required", "Wait for your turn in the waiting room first.",
     "먼저 대기열에서 순서를 기다려 주세요."},
    {404, "concert-not-found", "Concert not found", "There is no such concert.", "공연을 찾을 수 없습니다."},
    {404, "schedule-not-found", "Schedule not found", "There is no such date.",
     "공연 회차를 찾을 수 없습니다."},
    {404, "seat-not-found", "Seat not found", "There is no such seat.", "좌석을 찾을 수 없습니다."},
    {404, "reservation-not-found", "Reservation not found", "There is no such reservation.",
     "예매를 찾을 수 없습니다."},
    {404, "unknown-ticket", "Unknown ticket", "There is no such ticket.", "확인할 수 없는 티켓입니다."},
    {409, "already-open", "Already open", "Booking is already open.", "이미 예매가 시작되었습니다."},
    {409, "not-open", "Not open", "Booking is not open.", "예매 가능한 시간이 아닙니다."},
    {403, "pass-required", "Pass required", "Wait for your turn in the waiting room first.",
     "먼저 대기열에서 순서를 기다려 주세요."},
    {409, "sold-out", "Sold out", "Sold out.", "매진"},
    {409, "seat-held", "Seat held", "Another customer is choosing this seat.", "다른 사용자가 선택 중"},
    {409, "seat-taken", "Seat taken", "This seat is already booked.", "이미 예매된 좌석"},
    {429, "too-many-seats", "Too many seats", "You hold as many seats as one customer may.",
     "한 사람이 선택할 수 있는 좌석 수를 넘었습니다."},
    {409, "hold-expired", "Hold expired", "The hold on these seats has expired.",
     "좌석 선점 시간이 만료되었습니다."},
    {409, "amount-mismatch", "Amount mismatch", "The amount is not the price of the reservation.",
     "결제 금액이 예매 금액과 다릅니다."},
    {409, "already-paying", "Already paying", "A payment of this reservation is already in progress.",
     "이미 결제가 진행 중인 예매입니다."},
    {409, "already-extended", "Already extended", "The time to pay was extended once already.",
     "선점 시간은 한 번만 연장할 수 있습니다."},
    {409, "concert-cancelled", "Concert cancelled",
     "This concert was cancelled. Payments for it are returned in full.",
     "공연이 취소되었습니다. 결제하신 금액은 전액 환불됩니다."},
    {409, "concert-closed", "Concert closed", "The sale of this concert is closed.",
     "이 공연의 예매가 마감되었습니다."},
    {409, "sales-ended", "Sales ended", "The sale of this date has ended.",
     "이 회차의 예매가 종료되었습니다."},
    {409, "not-closed", "Not closed", "The sale of this concert is not closed.",
     "예매가 마감되지 않은 공연입니다."},
    {404, "payment-not-found", "Payment not found", "There is no such payment.", "결제를 찾을 수 없습니다."},
    {409, "payment-declined", "Payment declined",
     "The payment was declined. The seats are still held for you: try again, or pay another way.",
     "결제가 거절되었습니다. 좌석은 아직 선점되어 있으니 다시 시도하거나 다른 수단으로 결제해 주세요."},
    {409, "payment-refunded", "Payment refunded",
     "The payment came after the time was over and the seats were gone. Your money goes back to you.",
     "선점 시간이 지나 좌석이 다른 분께 넘어갔습니다. 결제하신 금액은 자동으로 환불됩니다."},
    {403, "signature-invalid", "Invalid signature", "The signature is not valid.",
     "서명이 올바르지 않습니다."},
    {403, "signature-expired", "Signature expired",
     "The signed time differs from the server's by more than five minutes.",
     "서명된 시각이 5분 넘게 차이 납니다."},
    {400, "target-refused", "Target refused",
     "Webhooks and health checks do not go to private or loopback addresses. `webhooks.allow-private` "
     "permits them.",
     "웹훅과 상태 확인은 사설 주소나 루프백 주소로 보낼 수 없습니다. `webhooks.allow-private` 설정으로 "
     "허용할 수 있습니다."},
    {404, "webhook-not-found", "Webhook not found", "There is no such webhook.", "웹훅을 찾을 수 없습니다."},
    {404, "delivery-not-found", "Delivery not found", "The event feed has no such event.",
     "이벤트를 찾을 수 없습니다."},
    {409, "webhook-disabled", "Webhook disabled", "The webhook is disabled. Set its status to active first.",
     "비활성화된 웹훅입니다. 먼저 상태를 active로 변경해 주세요."},
    {409, "too-many-webhooks", "Too many webhooks", "There are as many webhooks as one server may have.",
     "등록할 수 있는 웹훅 수를 넘었습니다."},
    {404, "not-ranked", "Not ranked", "This concert or date is not in the ranking.", "순위에 없습니다."},
    {503, "maintenance", "Maintenance",
     "The site is under maintenance. Your place in line and your bookings are kept. Try again in a moment.",
     "서비스 점검 중입니다. 대기 순서와 예매 내역은 유지됩니다. 잠시 후 다시 시도해 주세요."},
};

constexpr ProblemText kServerProblems[] = {
    {400, "malformed-request", "Malformed request", "The request is not well-formed HTTP.",
     "올바른 HTTP 요청이 아닙니다."},
    {408, "request-timeout", "Request timeout", "The request took too long to arrive.",
     "요청 수신 시간이 초과되었습니다."},
    {409, "idempotency-interrupted", "Request interrupted",
     "The server stopped while the first request with this Idempotency-Key ran. Check whether it took "
     "effect; "
     "if not, repeat it with a new key.",
     "같은 Idempotency-Key의 첫 요청을 처리하던 중 서버가 중단되었습니다. 반영되었는지 확인한 뒤, 반영되지 "
     "않았다면 새 키로 "
     "다시 요청해 주세요."},
    {414, "uri-too-long", "URI too long", "The address is too long.", "주소가 너무 깁니다."},
    {417, "expectation-failed", "Expectation failed", "The server supports only Expect: 100-continue.",
     "100-continue 외의 Expect는 지원하지 않습니다."},
    {431, "headers-too-large", "Headers too large", "The headers are too large.", "헤더가 너무 큽니다."},
    {500, "internal-error", "Internal error", "Internal error. Try again.",
     "내부 오류가 발생했습니다. 다시 시도해 주세요."},
    {501, "not-implemented", "Not implemented", "The method or transfer coding is not supported.",
     "지원하지 않는 메서드 또는 전송 방식입니다."},
    {505, "version-not-supported", "HTTP version not supported", "Use HTTP/1.1.", "HTTP/1.1만 지원합니다."},
};

// The table follows the order of the enum; a test compares their codes.
static_assert(std::size(kRefusals) == kRefusalCount);

const ProblemText& TextOf(Refusal refusal) { return kRefusals[static_cast<std::size_t>(Shown(refusal))]; }

bool IsUnauthorized(int status) { return status == 401; }

template <class Extra>
void WriteBody(const ProblemText& text, std::string_view detail, Response& response, Extra&& extra) {
  response.status = text.status;
  response.content_type = "application/problem+json";
  response.shared_body.reset();
  response.body.clear();
  response.cache = kNeverCached;
  JsonWriter json(response.body);
  json.Object([&] {
    json.Raw("type", "\"/docs/problems/");
    response.body.append(text.code).append("\"");
    json.Field("title", text.title_en);
    json.Field("status", text.status);
    json.Field("code", text.code);
    json.Field("detail", detail);
    extra(json);
  });
}

std::string DetailOf(const Refused& refused, Language language) {
  const auto& text = TextOf(refused.why);
  std::string detail(language == Language::kKorean ? text.detail_ko : text.detail_en);
  const bool has_detail = refused.why == Refusal::kInvalidField || refused.why == Refusal::kInvalidJson ||
                          refused.why == Refusal::kUnauthorized || refused.why == Refusal::kForbidden ||
                          refused.why == Refusal::kTooManySeats || refused.why == Refusal::kTooManyRequests;
  if (has_detail && !refused.about.empty()) detail.append(" (").append(refused.about).append(")");
  return detail;
}

bool NamesSeat(Refusal why) {
  return why == Refusal::kSeatHeld || why == Refusal::kSeatTaken || why == Refusal::kSeatNotFound;
}

void AddHeaders(const Refused& refused, const ProblemText& text, Response& response) {
  if (refused.why == Refusal::kMethodNotAllowed) response.AddHeader("Allow", refused.about);
  if (IsUnauthorized(text.status)) response.AddHeader("WWW-Authenticate", "Bearer");
  const bool retry = text.status == 503 || text.status == 429 || refused.why == Refusal::kIdempotencyRunning;
  if (retry) response.AddHeader("Retry-After", std::to_string(JitteredSeconds(refused.retry_after_seconds)));
}

}  // namespace

int StatusOf(Refusal refusal) { return TextOf(refusal).status; }

void WriteProblem(const Refused& refused, const Request& request, Response& response) {
  const auto& text = TextOf(refused.why);
  response.refusal = refused.why;
  response.extra_headers.clear();
  AddHeaders(refused, text, response);
  WriteBody(text, DetailOf(refused, request.language), response, [&](JsonWriter& json) {
    if (refused.why == Refusal::kInvalidField) json.Field("field", FieldOf(refused));
    if (NamesSeat(refused.why) && !refused.about.empty()) json.Raw("seat", refused.about);
    if (refused.why == Refusal::kWaitRequired && !refused.about.empty()) json.Field("waitUrl", refused.about);
    if (refused.why == Refusal::kSoldOut) json.Field("mayReturn", refused.may_return);
  });
}

void WriteProblem(const std::vector<RefusedLine>& lines, const Request& request, Response& response) {
  const auto& first = lines.front().refused;
  response.extra_headers.clear();
  WriteBody(TextOf(first.why), DetailOf(first, request.language), response, [&](JsonWriter& json) {
    json.Array("errors", [&] {
      for (const auto& [line, refused] : lines) {
        json.Object([&] {
          json.Field("line", line);
          json.Field("code", TextOf(refused.why).code);
          if (refused.why == Refusal::kInvalidField) json.Field("field", FieldOf(refused));
          json.Field("detail", DetailOf(refused, request.language));
        });
      }
    });
  });
}

void WriteProblem(ServerProblem problem, Language language, Response& response) {
  const auto& text = kServerProblems[static_cast<std::size_t>(problem)];
  response.extra_headers.clear();
  WriteBody(text, language == Language::kKorean ? text.detail_ko : text.detail_en, response,
            [](JsonWriter&) {});
}

const ProblemWriter& Problems() {
  struct Writer final : ProblemWriter {
    void Write(const Refused& refused, const Request& request, Response& response) const override {
      WriteProblem(refused, request, response);
    }
    void Write(ServerProblem problem, Language language, Response& response) const override {
      WriteProblem(problem, language, response);
    }
  };
  static const Writer writer;
  return writer;
}

std::string_view FieldOf(const Refused& refused) {
  return std::string_view(refused.about).substr(0, refused.about.find(':'));
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
