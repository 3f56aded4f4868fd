// The sale report as a page.
#include <fmt/format.h>

#include "base/hex.h"
#include "http/booking/report_figures.h"
#include "http/booking/report_formats.h"

namespace maejin::http {
namespace {

struct Words {
  std::string_view name;  // as in JSON
  std::string_view english;
  std::string_view korean;
};

constexpr Words kWords[] = {
    {"title", "Sale report", "판매 보고서"},
    {"line", "Waiting room", "대기열"},
    {"waits", "Waiting times (seconds)", "대기 시간(초)"},
    {"bookings", "Bookings", "예매"},
    {"conversion", "Conversion", "전환율"},
    {"sections", "Seconds to sell each section", "구역별 매진까지 걸린 시간(초)"},
    {"refusals", "Refused holds and payments", "거절된 좌석 선택과 결제"},
    {"timeline", "Time line", "시간순 기록"},
    {"certificate", "Fairness certificate", "공정성 증명"},
    {"arrivals", "Arrivals", "대기 신청"},
    {"admitted", "Admitted", "입장"},
    {"waiting", "Waiting now", "현재 대기"},
    {"inside", "Inside now", "현재 입장 중"},
    {"dropOuts", "Drop-outs", "대기 중 이탈"},
    {"noShows", "No-shows", "미입장"},
    {"p50Seconds", "p50", "p50"},
    {"p90Seconds", "p90", "p90"},
    {"p99Seconds", "p99", "p99"},
    {"maxSeconds", "Longest", "최장"},
    {"holds", "Holds", "좌석 선점"},
    {"holders", "Fans with a hold", "선점한 고객"},
    {"paid", "Paid bookings", "결제된 예매"},
    {"buyers", "Buyers", "구매 고객"},
    {"expired", "Expired", "시간 만료"},
    {"cancelled", "Cancelled", "취소"},
    {"refunded", "Refunded", "환불"},
    {"seatsForSale", "Seats for sale", "판매 좌석"},
    {"seatsSold", "Seats sold", "판매된 좌석"},
    {"revenue", "Revenue", "매출"},
    {"refundedAmount", "Refunded amount", "환불 금액"},
    {"admittedOfArrivals", "Admitted of arrivals", "대기 신청 대비 입장"},
    {"holdersOfAdmitted", "With a hold of admitted", "입장 대비 좌석 선점"},
    {"buyersOfHolders", "Buyers of fans with a hold", "좌석 선점 대비 구매"},
    {"buyersOfArrivals", "Buyers of arrivals", "대기 신청 대비 구매"},
    {"date", "Date", "날짜"},
    {"section", "Section", "구역"},
    {"sold", "Sold", "판매"},
    {"seconds", "Seconds", "초"},
    {"code", "Code", "코드"},
    {"count", "Count", "횟수"},
    {"time", "Time (UTC)", "시각(UTC)"},
    {"what", "What", "내용"},
    {"subject", "Subject", "대상"},
    {"actor", "Operator", "운영자"},
    {"name", "Figure", "항목"},
    {"value", "Value", "값"},
    {"ok", "ok", "정상"},
    {"generated", "Generated", "작성 시각"},
    {"verify", "Verify with", "검증 명령"},
    {"unknown", "unknown", "알 수 없음"},
    {"no-own-room", "This concert has no waiting room of its own.", "이 공연에는 전용 대기열이 없습니다."},
    {"counts-lost", "A part of the counts was lost: these figures are lower bounds.",
     "집계의 일부가 유실되어 실제 값은 이보다 클 수 있습니다."},
    {"opened", "sale opened", "판매 시작"},
    {"first-hold", "first hold", "첫 좌석 선점"},
    {"first-payment", "first payment", "첫 결제"},
    {"section-sold", "section sold out", "구역 매진"},
    {"date-sold-out", "date sold out", "회차 매진"},
    {"sold-out", "sold out", "매진"},
};

class Page {
 public:
  Page(std::string& out, Language language) : out_(out), korean_(language == Language::kKorean) {}

  std::string_view lang() const { return korean_ ? "ko" : "en"; }
  // The words for a name in the page's language; the name itself if it has none.
  std::string_view Say(std::string_view name) const {
    for (const auto& words : kWords) {
      if (words.name == name) return korean_ ? words.korean : words.english;
    }
    return name;
  }
  void Raw(std::string_view html) { out_ += html; }
  void Text(std::string_view text) {
    for (const char c : text) {
      if (c == '<') {
        out_ += "&lt;";
      } else if (c == '&') {
        out_ += "&amp;";
      } else if (c == '"') {
        out_ += "&quot;";
      } else {
        out_ += c;
      }
    }
  }
  void Element(std::string_view tag, std::string_view text) {
    out_ += fmt::format("<{}>", tag);
    Text(text);
    out_ += fmt::format("</{}>", tag);
  }
  void Begin(std::string_view group, std::initializer_list<std::string_view> columns) {
    Element("h2", Say(group));
    Raw("<table><thead><tr>");
    for (const auto& column : columns) {
      Raw("<th scope=\"col\">");
      Text(Say(column));
      Raw("</th>");
    }
    Raw("</tr></thead><tbody>");
  }
  void Row(std::initializer_list<std::string_view> cells) {
    Raw("<tr>");
    for (const auto& cell : cells) Element("td", cell);
    Raw("</tr>");
  }
  void End() { Raw("</tbody></table>\n"); }

 private:
  std::string& out_;
  const bool korean_;
};

constexpr std::string_view kStyle =
    "<style>:root{color-scheme:light dark}body{font:16px/1.5 "
    "system-ui,sans-serif;max-width:60rem;margin:2rem auto;"
    "padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid "
    "#8888;padding:.3rem "
    ".6rem;text-align:left;overflow-wrap:anywhere}h2{margin-top:2rem}code{overflow-wrap:anywhere}</style>";

void WriteFigures(Page& page, const SaleReport& report) {
  const auto figures = FiguresOf(report);
  for (const std::string_view group : {"line", "waits", "bookings", "conversion"}) {
    page.Begin(group, {"name", "value"});
    for (const auto& figure : figures) {
      if (figure.group == group)
        page.Row({page.Say(figure.name), figure.value ? *figure.value : page.Say("unknown")});
    }
    page.End();
    if (const auto reason = LineReason(report); group == "line" && !reason.empty())
      page.Element("p", page.Say(reason));
  }
}

void WriteTables(Page& page, const SaleReport& report) {
  page.Begin("sections", {"date", "section", "sold", "seconds"});
  for (const auto& section : report.sections) {
    page.Row({FormatDate(section.date), section.name, fmt::format("{} / {}", section.sold, section.seats),
              section.sold_in ? SecondsText(*section.sold_in) : ""});
  }
  page.End();
  page.Begin("refusals", {"code", "count"});
  for (const auto& [code, count] : report.refusals) page.Row({code, std::to_string(count)});
  page.End();
  page.Begin("timeline", {"time", "what", "subject", "actor"});
  for (const auto& moment : report.moments) {
    page.Row({FormatTime(moment.at), page.Say(moment.what), moment.subject,
              moment.action ? moment.action->actor : ""});
  }
  page.End();
}

void WriteCertificate(Page& page, const SaleReport& report) {
  page.Begin("certificate", {"name", "value"});
  for (const auto& each : report.draws) {
    const auto& draw = each.draw;
    page.Row({"commitment", draw.commitment});
    if (!draw.drawn()) continue;
    const std::string_view seed(reinterpret_cast<const char*>(draw.seed.data()), draw.seed.size());
    page.Row({"seed", HexText(seed)});
    page.Row({"count", std::to_string(draw.count)});
    page.Row({"orderSha256", draw.order_digest});
  }
  page.Row({"bookingsSha256", fmt::format("{} ({})", report.bookings_digest, report.bookings.paid)});
  page.Row({"auditHash", fmt::format("{} ({})", report.audit.hash, report.audit.last_id)});
  for (const auto& check : report.checks) page.Row({check.name, check.ok ? page.Say("ok") : check.detail});
  page.End();
  page.Raw("<p>");
  page.Text(page.Say("verify"));
  page.Raw(" <code>maejin report verify FILE</code></p>");
}

}  // namespace

void WriteReportHtml(std::string& out, const SaleReport& report, Language language) {
  Page page(out, language);
  page.Raw(
      fmt::format("<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width\"><title>",
                  page.lang()));
  const auto title = fmt::format("{}: {}", page.Say("title"), report.concert.title);
  page.Text(title);
  page.Raw("</title>");
  page.Raw(kStyle);
  page.Raw("</head><body><main>\n");
  page.Element("h1", title);
  page.Element(
      "p", fmt::format("{} · {} · {}", report.concert.artist, report.concert.venue, report.concert.status));
  page.Element("p", fmt::format("{}: {}", page.Say("generated"), FormatTime(report.generated_at)));
  WriteFigures(page, report);
  WriteTables(page, report);
  WriteCertificate(page, report);
  page.Raw("</main></body></html>\n");
}

}  // namespace maejin::http
