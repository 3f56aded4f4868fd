#include "adapters/embedded/booking_reads.h"

#include <algorithm>
#include <utility>

namespace maejin::embedded {

Outcome<ConcertView> BookingReads::FindConcert(ConcertId id, Time now) const {
  const auto* sale = sales_.FindSale(id);
  if (!sale) return Refused{Refusal::kConcertNotFound, std::to_string(id)};
  const std::lock_guard lock(sale->mutex);
  return ViewOf(sale->concert, now);
}

std::vector<ConcertView> BookingReads::ListConcerts(ConcertId after, std::size_t limit, Time now) const {
  std::vector<ConcertView> views;
  for (const auto& [id, sale] : sales_.PageOfSales(after, limit)) {
    const std::lock_guard lock(sale->mutex);
    views.push_back(ViewOf(sale->concert, now));
  }
  return views;
}

DateTotals::ByDate BookingReads::SumByDate() const {
  DateTotals::ByDate totals;
  for (const auto* sale : sales_.AllSales()) {
    const std::lock_guard lock(sale->mutex);
    if (!sale->concert.details().ranked) continue;
    for (const auto& schedule : sale->concert.schedules()) {
      if (!schedule.cancelled) totals[schedule.date] += schedule.seats.counts().ForSale();
    }
  }
  return totals;
}

std::int64_t BookingReads::SeatsForSaleOn(Date date) const {
  return date_totals_.On(date, CatalogueVersionAtOnce().value_or(0), [this] { return SumByDate(); });
}

std::optional<Stock> BookingReads::StockAtOnce(ConcertId id, Time) const {
  const auto* sale = sales_.FindSale(id);
  if (!sale) return {};
  const auto& seats = sale->on_sale;
  return Stock{seats.total.load(std::memory_order_relaxed), seats.available.load(std::memory_order_relaxed),
               seats.held.load(std::memory_order_relaxed), sale->end.load(std::memory_order_relaxed),
               sale->has_dates.load(std::memory_order_relaxed)};
}

Stock BookingReads::TotalStock() const {
  Stock sum;
  for (const auto* sale : sales_.AllSales()) {
    sum.total += sale->all.total.load(std::memory_order_relaxed);
    sum.available += sale->all.available.load(std::memory_order_relaxed);
    sum.held += sale->all.held.load(std::memory_order_relaxed);
  }
  return sum;
}

Outcome<SaleView> BookingReads::SaleAtOnce(ScheduleId schedule, Time now) const {
  const auto* entry = sales_.FindEntry(schedule);
  if (!entry) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const std::lock_guard lock(entry->sale->mutex);
  const auto& concert = entry->sale->concert;
  const auto on_sale = concert.OnSale(schedule, now);
  if (!on_sale) return on_sale.error();
  return SaleView{concert.id(), concert.details().room};
}

std::optional<std::uint64_t> BookingReads::SeatsVersionAtOnce(ScheduleId schedule) const {
  const auto* entry = sales_.FindEntry(schedule);
  if (!entry) return {};
  return entry->version.load(std::memory_order_acquire);
}

Outcome<ShowView> BookingReads::FindShow(ScheduleId schedule) const {
  const auto* entry = sales_.FindEntry(schedule);
  if (!entry) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const std::lock_guard lock(entry->sale->mutex);
  const auto& details = entry->sale->concert.details();
  const auto& show = *entry->schedule;
  return ShowView{entry->sale->concert.id(),
                  details.title,
                  details.artist,
                  details.venue,
                  show.date,
                  show.starts_at,
                  show.seats.layout(),
                  show.previous_date,
                  show.postponed_at,
                  show.seats.counts().ForSale()};
}

Outcome<BestSeats> BookingReads::FindBestSeats(ScheduleId schedule, const BestAvailable& wish) const {
  const auto* entry = sales_.FindEntry(schedule);
  if (!entry) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const std::lock_guard lock(entry->sale->mutex);
  const auto& seats = entry->schedule->seats;
  auto chosen = ChooseSeats(seats, {.schedule = schedule, .best = wish});
  if (!chosen) return chosen.error();
  return BestSeats{seats.layout(), std::move(*chosen)};
}

Outcome<SeatsView> BookingReads::ReadSeats(ScheduleId schedule) const {
  const auto* entry = sales_.FindEntry(schedule);
  if (!entry) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const std::lock_guard lock(entry->sale->mutex);
  const auto& seats = entry->schedule->seats;
  return SeatsView{schedule, seats.version(), seats.layout(), seats.states(), seats.counts()};
}

Outcome<std::optional<SeatChanges>> BookingReads::ReadSeatChanges(ScheduleId schedule,
                                                                  std::uint64_t version) const {
  const auto* entry = sales_.FindEntry(schedule);
  if (!entry) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const std::lock_guard lock(entry->sale->mutex);
  const auto& seats = entry->schedule->seats;
  const auto changed = seats.ChangedSince(version);
  if (!changed) return std::optional<SeatChanges>{};
  SeatChanges changes;
  changes.version = seats.version();
  for (const auto seat : *changed) changes.changes.push_back({seat, seats.StateOf(seat)});
  return std::optional<SeatChanges>{std::move(changes)};
}

Task<Outcome<std::vector<Payment>>> BookingReads::UnsettledPayments(Time before, std::size_t limit) const {
  std::vector<Payment> refunds;
  std::vector<Payment> pending;
  for (const auto* sale : sales_.AllSales()) {
    const std::lock_guard lock(sale->mutex);
    for (const auto index : sale->concert.unsettled()) {
      const auto& payment = sale->concert.payment(index);
      if (payment.created_at >= before) continue;
      (payment.status == PaymentStatus::kRefundDue ? refunds : pending).push_back(payment);
    }
  }
  for (auto* payments : {&refunds, &pending}) {
    std::ranges::sort(*payments, {},
                      [](const Payment& payment) { return std::pair(payment.created_at, payment.id); });
    if (payments->size() > limit) payments->resize(limit);
  }
  refunds.insert(refunds.end(), pending.begin(), pending.end());
  co_return refunds;
}

}  // namespace maejin::embedded
