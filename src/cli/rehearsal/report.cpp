#include "cli/rehearsal/report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_text.h"

namespace maejin::cli {
namespace {

// Latency of one kind of request.
struct Latency {
  std::size_t count = 0;
  std::uint32_t p50 = 0;
  std::uint32_t p99 = 0;
  std::uint32_t max = 0;  // all in microseconds
};

Latency LatencyOf(std::vector<std::uint32_t> micros) {
  if (micros.empty()) return {};
  std::sort(micros.begin(), micros.end());
  const auto at = [&](std::size_t percent) { return micros[(micros.size() - 1) * percent / 100]; };
  return {micros.size(), at(50), at(99), micros.back()};
}

struct Figures {
  std::optional<Millis> sold_in;
  std::int64_t requests = 0;
  std::int64_t lost = 0;
  std::int64_t paid_seats = 0;
};

Figures FiguresOf(const RehearsalReport& report) {
  Figures figures;
  for (const auto& [key, count] : report.ledger.answers) {
    figures.requests += count;
    if (key.second == 0) figures.lost += count;
  }
  for (const auto& [id, reserved] : report.ledger.reservations) {
    if (reserved.outcome == FanOutcome::kPaid)
      figures.paid_seats += static_cast<std::int64_t>(reserved.seats.size());
  }
  if (report.state && report.state->sold_out_at && report.state->opened_at)
    figures.sold_in = *report.state->sold_out_at - *report.state->opened_at;
  return figures;
}

// Per second. A duration of 0 counts as 1 ms.
double Rate(std::int64_t count, Millis within) {
  return static_cast<double>(count) * 1000 / static_cast<double>(std::max<std::int64_t>(1, within.count()));
}

double InMillis(std::uint32_t micros) { return static_cast<double>(micros) / 1000; }

std::string SpeedText(const RehearsalReport& report) {
  const auto figures = FiguresOf(report);
  auto text = figures.sold_in ? fmt::format("Sold out in {:.3f} s: {:.1f} seats a second.\n",
                                            static_cast<double>(figures.sold_in->count()) / 1000,
                                            Rate(report.plan.seats, *figures.sold_in))
                              : fmt::format("Not sold out: {}. {} of {} seats were paid.\n", report.ended,
                                            figures.paid_seats, report.plan.seats);
  text += fmt::format(
      "{} requests, {:.0f} a second after the opening, over {} connections; {} without an answer.\n",
      figures.requests, Rate(figures.requests, report.lasted), report.plan.connections, figures.lost);
  text += "\nstep      answers   p50 ms   p99 ms   max ms   by status\n";
  for (std::size_t i = 0; i < kFanSteps; ++i) {
    const auto step = static_cast<FanStep>(i);
    const auto latency = LatencyOf(report.ledger.micros[i]);
    std::string statuses;
    for (const auto& [key, count] : report.ledger.answers) {
      if (key.first == step)
        statuses += fmt::format("   {} × {}", key.second == 0 ? "none" : std::to_string(key.second), count);
    }
    if (statuses.empty()) continue;
    text += fmt::format("{:<7} {:>9} {:>8.1f} {:>8.1f} {:>8.1f}{}\n", Name(step), latency.count,
                        InMillis(latency.p50), InMillis(latency.p99), InMillis(latency.max), statuses);
  }
  return text;
}

std::string RefusalText(const Ledger& ledger) {
  std::string text;
  for (const auto& [code, count] : ledger.refusals)
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", code.empty() ? "(no code)" : code, count);
  return text.empty() ? text : fmt::format("refused: {}\n", text);
}

std::string AuditText(const RehearsalReport& report) {
  const auto& audit = report.audit;
  std::string text = "The fans' ledger compared with the server's state:\n";
  if (!report.state) return text + "  not compared: the server's state could not be read\n";
  for (const auto& check : audit.checks) {
    text += fmt::format("{:<7} {:<4} {:<70} {:>8} compared\n", check.problems == 0 ? "ok" : "BROKEN",
                        check.invariant, check.sentence, check.compared);
    for (const auto& example : check.examples) text += fmt::format("             {}\n", example);
    const auto more = check.problems - static_cast<std::int64_t>(check.examples.size());
    if (more > 0) text += fmt::format("             and {} more\n", more);
  }
  if (audit.unknown_sold + audit.unknown_not_sold + audit.unknown_holds > 0) {
    text += fmt::format(
        "unknown: of the payments without an answer {} are sold, {} are not; {} holds had no answer\n",
        audit.unknown_sold, audit.unknown_not_sold, audit.unknown_holds);
  }
  return text;
}

std::string VerdictText(const RehearsalReport& report) {
  switch (report.verdict()) {
    case Verdict::kPassed:
      return "PASSED: sold out, and every invariant holds";
    case Verdict::kFailed:
      return "FAILED: an invariant is broken";
    case Verdict::kIncomplete:
      break;
  }
  return fmt::format("INCOMPLETE: {}", report.ended);
}

void WriteSteps(const Ledger& ledger, JsonWriter& json) {
  json.Array("steps", [&] {
    for (std::size_t i = 0; i < kFanSteps; ++i) {
      const auto step = static_cast<FanStep>(i);
      const auto latency = LatencyOf(ledger.micros[i]);
      json.Object([&] {
        json.Field("step", Name(step));
        json.Field("answers", latency.count);
        json.Field("p50Micros", latency.p50);
        json.Field("p99Micros", latency.p99);
        json.Field("maxMicros", latency.max);
        json.Object("byStatus", [&] {
          for (const auto& [key, count] : ledger.answers) {
            if (key.first == step) json.Field(key.second == 0 ? "none" : std::to_string(key.second), count);
          }
        });
      });
    }
  });
  json.Object("refusals", [&] {
    for (const auto& [code, count] : ledger.refusals) json.Field(code, count);
  });
}

void WriteChecks(const AuditReport& audit, JsonWriter& json) {
  json.Array("checks", [&] {
    for (const auto& check : audit.checks) {
      json.Object([&] {
        json.Field("invariant", check.invariant);
        json.Field("name", check.name);
        json.Field("sentence", check.sentence);
        json.Field("compared", check.compared);
        json.Field("problems", check.problems);
        json.Array("examples", [&] {
          for (const auto& example : check.examples) json.Element(example);
        });
      });
    }
  });
  json.Object("unknown", [&] {
    json.Field("paymentsSold", audit.unknown_sold);
    json.Field("paymentsNotSold", audit.unknown_not_sold);
    json.Field("holds", audit.unknown_holds);
  });
}

void WritePlan(const RehearsalPlan& plan, JsonWriter& json) {
  json.Field("url", plan.url);
  json.Field("fans", plan.fans);
  json.Field("seats", plan.seats);
  json.Field("dates", plan.dates);
  json.Field("capacity", plan.capacity);
  json.Field("connections", plan.connections);
  json.Field("seed", plan.seed);
}

}  // namespace

Verdict RehearsalReport::verdict() const {
  if (!state) return Verdict::kIncomplete;
  if (!audit.holds()) return Verdict::kFailed;
  return audit.sold_out ? Verdict::kPassed : Verdict::kIncomplete;
}

std::string_view Name(Verdict verdict) {
  if (verdict == Verdict::kPassed) return "passed";
  return verdict == Verdict::kFailed ? "failed" : "incomplete";
}

std::string ReportText(const RehearsalReport& report) {
  return fmt::format("\n{}{}\n{}\n{}\n{}\n", SpeedText(report), RefusalText(report.ledger), AuditText(report),
                     VerdictText(report), report.remains);
}

std::string ReportJson(const RehearsalReport& report) {
  const auto figures = FiguresOf(report);
  auto out = JsonObjectText([&](JsonWriter& json) {
    json.Field("verdict", Name(report.verdict()));
    json.Field("soldOut", report.audit.sold_out);
    if (report.ended.empty()) {
      json.Null("ended");
    } else {
      json.Field("ended", report.ended);
    }
    WritePlan(report.plan, json);
    json.Field("concertId", report.concert);
    json.Field("title", report.title);
    json.OptionalField("soldOutInMillis",
                       figures.sold_in ? std::optional(figures.sold_in->count()) : std::nullopt);
    json.Field("seatsPaid", figures.paid_seats);
    json.Field("requests", figures.requests);
    json.Field("requestsWithoutAnswer", figures.lost);
    json.Field("lastedMillis", report.lasted.count());
    WriteSteps(report.ledger, json);
    WriteChecks(report.audit, json);
    json.Field("leftBehind", report.remains);
    json.RawOrNull("saleReport", report.sale);
  });
  return out + '\n';
}

}  // namespace maejin::cli
