#include "http/booking/report_figures.h"

#include <fmt/format.h>

namespace maejin::http {
namespace {

void AddLine(std::vector<ReportFigure>& out, const SaleReport& report) {
  const auto add = [&](std::string_view group, std::string_view name, std::int64_t value) {
    out.push_back({group, name, report.line ? std::optional(std::to_string(value)) : std::nullopt});
  };
  const auto line = report.line.value_or(RoomTally());
  add("line", "arrivals", line.arrivals);
  add("line", "admitted", line.admissions);
  add("line", "waiting", line.waiting);
  add("line", "inside", line.inside);
  add("line", "dropOuts", report.DropOuts());
  add("line", "noShows", line.no_shows);
  const bool waited = !line.waits.empty();
  for (const auto& [name, percent] :
       {std::pair{"p50Seconds", 50}, {"p90Seconds", 90}, {"p99Seconds", 99}, {"maxSeconds", 100}}) {
    const auto seconds = std::to_string(WaitPercentile(line, percent));
    out.push_back({"waits", name, waited ? std::optional(seconds) : std::nullopt});
  }
}

void AddConversion(std::vector<ReportFigure>& out, const SaleReport& report) {
  const auto line = report.line.value_or(RoomTally());
  const auto& bookings = report.bookings;
  out.push_back({"conversion", "admittedOfArrivals", Share(line.admissions, line.arrivals)});
  out.push_back({"conversion", "holdersOfAdmitted", Share(bookings.holders, line.admissions)});
  out.push_back({"conversion", "buyersOfHolders", Share(bookings.buyers, bookings.holders)});
  out.push_back({"conversion", "buyersOfArrivals", Share(bookings.buyers, line.arrivals)});
}

}  // namespace

std::optional<std::string> Share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return {};
  return fmt::format("{:.4f}", static_cast<double>(part) / static_cast<double>(whole));
}

std::string SecondsText(Millis time) {
  return fmt::format("{}.{:03}", time.count() / 1000, time.count() % 1000);
}

std::string_view LineReason(const SaleReport& report) {
  if (!report.line) return "no-own-room";
  return report.line->complete ? "" : "counts-lost";
}

std::vector<ReportFigure> FiguresOf(const SaleReport& report) {
  std::vector<ReportFigure> figures;
  AddLine(figures, report);
  const auto& sum = report.bookings;
  const std::pair<std::string_view, std::int64_t> counts[] = {
      {"holds", sum.holds},
      {"holders", sum.holders},
      {"paid", sum.paid},
      {"buyers", sum.buyers},
      {"expired", sum.expired},
      {"cancelled", sum.cancelled},
      {"refunded", sum.refunded},
      {"seatsForSale", sum.seats_for_sale},
      {"seatsSold", sum.seats_sold},
      {"revenue", sum.revenue},
      {"refundedAmount", sum.refunded_amount},
  };
  for (const auto& [name, value] : counts) figures.push_back({"bookings", name, std::to_string(value)});
  AddConversion(figures, report);
  return figures;
}

}  // namespace maejin::http
