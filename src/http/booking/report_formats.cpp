#include "http/booking/report_formats.h"

#include <fmt/format.h>

#include "base/hex.h"
#include "base/json_writer.h"
#include "http/booking/report_figures.h"

namespace maejin::http {
namespace {

constexpr std::string_view kVerifyCommand = "maejin report verify FILE";

std::string SeedText(const Draw& draw) {
  return HexText({reinterpret_cast<const char*>(draw.seed.data()), draw.seed.size()});
}

// The figures of one group, as numbers or null.
void WriteGroup(JsonWriter& json, const std::vector<ReportFigure>& figures, std::string_view group) {
  for (const auto& figure : figures) {
    if (figure.group != group) continue;
    if (figure.value) {
      json.Raw(figure.name, *figure.value);
    } else {
      json.Null(figure.name);
    }
  }
}

void WriteSections(JsonWriter& json, const SaleReport& report) {
  json.Array("sections", [&] {
    for (const auto& section : report.sections) {
      json.Object([&] {
        json.Field("scheduleId", section.schedule);
        json.Field("concertDate", section.date);
        json.Field("section", section.name);
        json.Field("price", section.price);
        json.Field("seats", section.seats);
        json.Field("sold", section.sold);
        if (section.sold_in) {
          json.Raw("soldOutSeconds", SecondsText(*section.sold_in));
        } else {
          json.Null("soldOutSeconds");
        }
      });
    }
  });
}

void WriteMoments(JsonWriter& json, const SaleReport& report) {
  json.Array("timeline", [&] {
    for (const auto& moment : report.moments) {
      json.Object([&] {
        json.Field("at", moment.at);
        json.Field("kind", moment.action ? "operator" : "sale");
        json.Field("what", moment.what);
        json.Field("subject", moment.subject);
        if (!moment.action) return;
        json.Field("actor", moment.action->actor);
        json.Field("detail", moment.action->detail);
        json.Field("auditId", moment.action->id);
        json.Field("hash", moment.action->hash);
      });
    }
  });
}

void WriteDraws(JsonWriter& json, const SaleReport& report) {
  json.Field("algorithm", kShuffleAlgorithm);
  json.Array("shuffles", [&] {
    for (const auto& each : report.draws) {
      json.Object([&] {
        const auto& draw = each.draw;
        json.Field("commitment", draw.commitment);
        json.Field("firstNumber", draw.first);
        if (!draw.drawn()) return;
        json.Field("count", draw.count);
        json.Field("seed", SeedText(draw));
        json.Field("orderSha256", draw.order_digest);
        json.Field("verified", each.verified);
      });
    }
  });
}

void WriteCertificate(JsonWriter& json, const SaleReport& report) {
  json.Object("certificate", [&] {
    WriteDraws(json, report);
    json.Object("bookings", [&] {
      json.Field("count", report.bookings.paid);
      json.Field("sha256", report.bookings_digest);
    });
    json.Object("audit", [&] {
      json.Field("rows", report.audit.rows);
      json.Field("lastId", report.audit.last_id);
      json.Field("hash", report.audit.hash);
      json.OptionalField("firstBroken", report.audit.broken);
    });
    json.Array("checks", [&] {
      for (const auto& check : report.checks) {
        json.Object([&] {
          json.Field("name", check.name);
          json.Field("ok", check.ok);
          json.Field("detail", check.detail);
        });
      }
    });
    json.Field("intact", report.Intact());
    json.Field("verify", kVerifyCommand);
  });
}

}  // namespace

void WriteReportJson(std::string& out, const SaleReport& report) {
  const auto figures = FiguresOf(report);
  JsonWriter json(out);
  json.Object([&] {
    json.Field("concertId", report.concert.id);
    json.Field("title", report.concert.title);
    json.Field("artist", report.concert.artist);
    json.Field("venue", report.concert.venue);
    json.Field("status", report.concert.status);
    json.Field("generatedAt", report.generated_at);
    json.OptionalField("bookingOpenAt", report.concert.opened_at);
    json.OptionalField("soldOutAt", report.concert.sold_out_at);
    json.Object("line", [&] {
      WriteGroup(json, figures, "line");
      const auto reason = LineReason(report);
      json.Field("complete", reason.empty());
      if (reason.empty()) {
        json.Null("reason");
      } else {
        json.Field("reason", reason);
      }
    });
    json.Object("waits", [&] { WriteGroup(json, figures, "waits"); });
    json.Object("bookings", [&] { WriteGroup(json, figures, "bookings"); });
    json.Object("conversion", [&] { WriteGroup(json, figures, "conversion"); });
    WriteSections(json, report);
    json.Array("refusals", [&] {
      for (const auto& refusal : report.refusals) {
        json.Object([&] {
          json.Field("code", refusal.first);
          json.Field("count", refusal.second);
        });
      }
    });
    WriteMoments(json, report);
    WriteCertificate(json, report);
  });
}

void AppendCsvText(std::string& out, std::string_view text) {
  out += '"';
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) out += '\'';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void WriteReportCsv(std::string& out, const SaleReport& report) {
  const auto row = [&](std::string_view group, std::string_view name, std::string_view value) {
    AppendCsvText(out, group);
    out += ',';
    AppendCsvText(out, name);
    out += ',';
    AppendCsvText(out, value);
    out += "\r\n";
  };
  out += "group,name,value\r\n";
  row("sale", "concertId", std::to_string(report.concert.id));
  row("sale", "title", report.concert.title);
  row("sale", "status", report.concert.status);
  row("sale", "generatedAt", FormatTime(report.generated_at));
  for (const auto& figure : FiguresOf(report)) row(figure.group, figure.name, figure.value.value_or(""));
  row("line", "reason", LineReason(report));
  for (const auto& section : report.sections) {
    row("soldOutSeconds", fmt::format("{} {}", FormatDate(section.date), section.name),
        section.sold_in ? SecondsText(*section.sold_in) : "");
  }
  for (const auto& [code, count] : report.refusals) row("refusals", code, std::to_string(count));
  for (const auto& moment : report.moments)
    row("timeline", FormatTime(moment.at), fmt::format("{}: {}", moment.what, moment.subject));
  for (const auto& each : report.draws) {
    const auto& draw = each.draw;
    row("certificate", "commitment", draw.commitment);
    if (draw.drawn()) row("certificate", "seed", SeedText(draw));
  }
  row("certificate", "bookingsSha256", report.bookings_digest);
  row("certificate", "auditHash", report.audit.hash);
  for (const auto& check : report.checks) row("check", check.name, check.ok ? "ok" : check.detail);
  row("certificate", "verify", kVerifyCommand);
}

}  // namespace maejin::http
