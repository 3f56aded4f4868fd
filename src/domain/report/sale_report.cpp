#include "domain/report/sale_report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/crypto.h"
#include "base/hex.h"
#include "domain/audit_chain.h"
#include "domain/waiting_room/shuffle.h"

namespace maejin {
namespace {

void Keep(std::optional<Time>& earliest, Time at) {
  if (!earliest || at < *earliest) earliest = at;
}

void Fail(ReportCheck& check, std::string detail) {
  if (check.ok) check.detail = std::move(detail);
  check.ok = false;
}

bool IsVerified(const Draw& draw) {
  return draw.drawn() && Commitment(draw.seed) == draw.commitment &&
         OrderDigest(Shuffle(draw.seed, draw.count)) == draw.order_digest;
}

std::string DateSubject(const ReportDate& date) {
  return fmt::format("schedule {} ({})", date.id, FormatDate(date.date));
}

}  // namespace

bool SaleReport::Intact() const {
  return std::all_of(checks.begin(), checks.end(), [](const ReportCheck& check) { return check.ok; });
}

SaleReportBuilder::SaleReportBuilder(ReportConcert concert, std::vector<ReportDate> dates) {
  report_.concert = std::move(concert);
  for (auto& date : dates) {
    const auto seats = date.states.size();
    const auto id = date.id;
    dates_.emplace(id, DateSale{std::move(date), std::vector<std::optional<Time>>(seats),
                                std::vector<std::uint8_t>(seats)});
  }
}

void SaleReportBuilder::CheckSeats(const Reservation& reservation, DateSale& sale) {
  Money price = 0;
  for (const auto seat : reservation.seats) {
    if (!sale.date.layout->Has(seat)) {
      return Fail(seats_, fmt::format("reservation {} has seat {}, which does not exist",
                                      reservation.id.ToString(), seat));
    }
    const auto index = static_cast<std::size_t>(seat - 1);
    price += sale.date.layout->PriceOf(seat);
    if (reservation.paid_at) Keep(sale.first_paid[index], *reservation.paid_at);
    if (reservation.Living() && sale.owners[index]++ > 0) {
      Fail(seats_,
           fmt::format("seat {} of schedule {} belongs to two reservations", seat, reservation.schedule));
    }
  }
  if (price == reservation.amount) return;
  Fail(amounts_, fmt::format("reservation {} has the amount {}, and its seats cost {}",
                             reservation.id.ToString(), reservation.amount, price));
}

void SaleReportBuilder::Add(const Reservation& reservation) {
  auto& sum = report_.bookings;
  ++sum.holds;
  holders_.insert(reservation.user);
  reservations_.insert(reservation.id.ToString());
  Keep(first_hold_, reservation.held_at);
  sum.expired += reservation.status == ReservationStatus::kExpired ? 1 : 0;
  sum.cancelled += reservation.status == ReservationStatus::kCancelled ? 1 : 0;
  if (reservation.status == ReservationStatus::kRefunded) {
    ++sum.refunded;
    sum.refunded_amount += reservation.amount;
  }
  if (reservation.status == ReservationStatus::kConfirmed) sum.revenue += reservation.amount;
  if (const auto sale = dates_.find(reservation.schedule); sale != dates_.end())
    CheckSeats(reservation, sale->second);
  if (!reservation.paid_at) return;
  ++sum.paid;
  buyers_.insert(reservation.user);
  Keep(first_payment_, *reservation.paid_at);
  paid_rows_ +=
      fmt::format("{} {} {} {} {} {}\n", reservation.number, reservation.id.ToString(), reservation.schedule,
                  fmt::join(reservation.seats, ","), reservation.amount, ToMillis(*reservation.paid_at));
}

bool SaleReportBuilder::IsOfSale(const ReportAction& row) const {
  const auto id = std::to_string(report_.concert.id);
  if (row.subject == "concert " + id || row.subject == "room " + id) return true;
  constexpr std::string_view kReservation = "reservation ";
  if (row.subject.starts_with(kReservation))
    return reservations_.contains(row.subject.substr(kReservation.size()));
  return std::any_of(dates_.begin(), dates_.end(), [&](const auto& date) {
    return row.subject == "schedule " + std::to_string(date.first);
  });
}

void SaleReportBuilder::Add(const ReportAction& row) {
  auto& audit = report_.audit;
  const AuditEntry entry{row.at, row.actor, row.action, row.subject, row.detail};
  const bool fits = row.id == audit.last_id + 1 && AuditHash(audit.hash, row.id, entry) == row.hash;
  if (!fits && !audit.broken) audit.broken = row.id;
  ++audit.rows;
  audit.last_id = row.id;
  audit.hash = row.hash;
  if (IsOfSale(row)) actions_.push_back(row);
}

void SaleReportBuilder::SetLine(RoomTally tally, const std::vector<Draw>& draws) {
  report_.line = std::move(tally);
  for (const auto& draw : draws) report_.draws.push_back({draw, IsVerified(draw)});
}

void SaleReportBuilder::SetRefusals(std::map<std::string, std::int64_t> refusals) {
  report_.refusals = std::move(refusals);
}

void SaleReportBuilder::AddSections() {
  for (auto& [id, sale] : dates_) {
    const auto& layout = *sale.date.layout;
    std::vector<ReportSection> sections;
    std::vector<std::optional<Time>> last(layout.sections().size());
    std::vector<bool> all_paid(layout.sections().size(), true);
    for (const auto& section : layout.sections())
      sections.push_back({id, sale.date.date, section.name, section.price, 0, 0, {}});
    for (const auto& row : layout.rows()) {
      auto& section = sections[row.section];
      for (auto seat = row.first; seat < row.first + row.count; ++seat) {
        const auto index = static_cast<std::size_t>(seat - 1);
        if (sale.date.states[index] == SeatState::kBlocked) continue;
        ++section.seats;
        section.sold += sale.date.states[index] == SeatState::kAssigned ? 1 : 0;
        const auto& paid = sale.first_paid[index];
        if (!paid) all_paid[row.section] = false;
        if (paid && (!last[row.section] || *paid > *last[row.section])) last[row.section] = paid;
      }
    }
    for (std::size_t i = 0; i < sections.size(); ++i) {
      auto& section = sections[i];
      report_.bookings.seats_for_sale += section.seats;
      report_.bookings.seats_sold += section.sold;
      const bool sold = all_paid[i] && last[i] && sale.date.opened_at;
      if (sold) section.sold_in = *last[i] - *sale.date.opened_at;
      if (sold) {
        report_.moments.push_back(
            {*last[i], "section-sold", fmt::format("{}: {}", DateSubject(sale.date), section.name)});
      }
      report_.sections.push_back(std::move(section));
    }
  }
}

void SaleReportBuilder::AddMoments() {
  auto& moments = report_.moments;
  const auto add = [&](const std::optional<Time>& at, const char* what, std::string subject) {
    if (at) moments.push_back({*at, what, std::move(subject)});
  };
  const auto concert = fmt::format("concert {}", report_.concert.id);
  add(report_.concert.opened_at, "opened", concert);
  add(first_hold_, "first-hold", concert);
  add(first_payment_, "first-payment", concert);
  for (const auto& [id, sale] : dates_) add(sale.date.sold_out_at, "date-sold-out", DateSubject(sale.date));
  add(report_.concert.sold_out_at, "sold-out", concert);
  for (auto& action : actions_) moments.push_back({action.at, action.action, action.subject, action});
  std::multimap<Time, ReportMoment> by_time;  // moments of the same time keep this order
  for (auto& moment : moments) by_time.emplace(moment.at, std::move(moment));
  moments.clear();
  for (auto& [at, moment] : by_time) moments.push_back(std::move(moment));
}

SaleReport SaleReportBuilder::Finish(Time now) {
  report_.generated_at = now;
  report_.bookings.holders = static_cast<std::int64_t>(holders_.size());
  report_.bookings.buyers = static_cast<std::int64_t>(buyers_.size());
  report_.bookings_digest = HexText(AsText(Sha256(paid_rows_)));
  AddSections();
  AddMoments();
  ReportCheck chain{"audit-chain"};
  if (report_.audit.broken)
    Fail(chain, fmt::format("row {} of the audit log does not fit", *report_.audit.broken));
  ReportCheck draws{"draws"};
  for (const auto& each : report_.draws) {
    if (each.draw.drawn() && !each.verified)
      Fail(draws, fmt::format("the draw from number {} does not fit its commitment", each.draw.first));
  }
  report_.checks = {std::move(chain), std::move(draws), amounts_, seats_};
  return std::move(report_);
}

}  // namespace maejin
