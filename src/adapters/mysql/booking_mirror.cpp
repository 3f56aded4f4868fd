#include "adapters/mysql/booking_mirror.h"

#include <mutex>

namespace maejin::mysql {
namespace {

// The version as clients see it: the node's number is part of it, since each node counts its own changes.
std::uint64_t PublicVersion(std::uint64_t version, std::uint64_t node) {
  return version * kMirrorNodes + node;
}

}  // namespace

std::shared_ptr<const ConcertRecord> BookingMirror::RecordOf(ConcertId concert) const {
  const std::shared_lock lock(mutex_);
  const auto* sale = FindSale(concert);
  return sale ? sale->record : nullptr;
}

std::shared_ptr<const ConcertRecord> BookingMirror::RecordOfSchedule(ScheduleId schedule) const {
  const std::shared_lock lock(mutex_);
  const auto found = dates_.find(schedule);
  return found == dates_.end() ? nullptr : found->second.first->record;
}

std::vector<BookingMirror::Opening> BookingMirror::OpenedBy(Time now) const {
  std::vector<Opening> opened;
  const std::shared_lock lock(mutex_);
  for (const auto& [id, sale] : sales_) {
    const auto& record = *sale->record;
    const auto& opens_at = record.details.booking_open_at;
    if (opens_at && *opens_at <= now && !record.cancelled && !record.closed)
      opened.push_back({id, *opens_at});
  }
  return opened;
}

Time BookingMirror::LastPaidAt(ConcertId concert) const {
  const std::shared_lock lock(mutex_);
  const auto* sale = FindSale(concert);
  return sale ? sale->last_paid_at : Time{};
}

Outcome<ConcertView> BookingMirror::Find(ConcertId concert, Time now) const {
  const std::shared_lock lock(mutex_);
  const auto* sale = FindSale(concert);
  if (!sale) return Refused{Refusal::kConcertNotFound, std::to_string(concert)};
  return sale->View(now);
}

std::vector<ConcertView> BookingMirror::List(ConcertId after, std::size_t limit, Time now) const {
  const std::shared_lock lock(mutex_);
  std::vector<ConcertView> views;
  for (auto it = sales_.upper_bound(after); it != sales_.end() && views.size() < limit; ++it) {
    views.push_back(it->second->View(now));
  }
  return views;
}

std::vector<ConcertChange> BookingMirror::ListChanges(ConcertId after, std::size_t limit) const {
  const std::shared_lock lock(mutex_);
  std::vector<ConcertChange> changes;
  for (auto it = sales_.upper_bound(after); it != sales_.end() && changes.size() < limit; ++it) {
    const auto& record = *it->second->record;
    changes.push_back({record.id, record.details.room, record.life});
  }
  return changes;
}

DateTotals::ByDate BookingMirror::SumByDate() const {
  const std::shared_lock lock(mutex_);
  DateTotals::ByDate totals;
  for (const auto& [id, sale] : sales_) {
    if (sale->record->cancelled || !sale->record->details.ranked) continue;
    for (const auto& date : sale->dates) {
      if (!date->record->cancelled) totals[date->record->date] += date->seats.counts().ForSale();
    }
  }
  return totals;
}

std::int64_t BookingMirror::SeatsForSaleOn(Date date) const {
  return date_totals_.On(date, version_.load(std::memory_order_acquire), [this] { return SumByDate(); });
}

Outcome<ShowView> BookingMirror::Show(ScheduleId schedule) const {
  const std::shared_lock lock(mutex_);
  const auto found = dates_.find(schedule);
  if (found == dates_.end()) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const auto& concert = *found->second.first->record;
  const auto& date = *found->second.second->record;
  return ShowView{concert.id,
                  concert.details.title,
                  concert.details.artist,
                  concert.details.venue,
                  date.date,
                  date.starts_at,
                  date.layout,
                  date.previous_date,
                  date.postponed_at,
                  found->second.second->seats.counts().ForSale()};
}

std::shared_ptr<BookingMirror::StockCell> BookingMirror::CellOf(ConcertId concert) const {
  const std::shared_lock lock(cells_mutex_);
  const auto found = cells_.find(concert);
  return found == cells_.end() ? nullptr : found->second;
}

std::optional<Stock> BookingMirror::StockOf(ConcertId concert, Time now) const {
  const auto now_ms = ToMillis(now);
  if (now_ms > now_ms_.load(std::memory_order_relaxed)) now_ms_.store(now_ms, std::memory_order_relaxed);
  const auto cell = CellOf(concert);
  if (!cell) return std::nullopt;
  if (now_ms >= cell->valid_until_ms.load(std::memory_order_acquire)) {
    const std::unique_lock lock(mutex_);
    // Another reader may have written the cell before this one got the lock.
    if (now_ms >= cell->valid_until_ms.load(std::memory_order_relaxed)) FindSale(concert)->WriteStock(now);
  }
  return Stock{cell->total.load(std::memory_order_relaxed), cell->available.load(std::memory_order_relaxed),
               cell->held.load(std::memory_order_relaxed), cell->end.load(std::memory_order_relaxed),
               cell->has_dates.load(std::memory_order_relaxed)};
}

Stock BookingMirror::TotalStock() const {
  const std::shared_lock lock(mutex_);
  Stock sum;
  for (const auto& [id, sale] : sales_) {
    const auto counts = sale->FactsAt(Time{}).counts;
    sum.total += counts.ForSale();
    sum.available += counts.available;
    sum.held += counts.held;
  }
  return sum;
}

Outcome<SaleView> BookingMirror::OnSale(ScheduleId schedule, Time now) const {
  const std::shared_lock lock(mutex_);
  const auto found = dates_.find(schedule);
  if (found == dates_.end()) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  const auto& concert = *found->second.first->record;
  const auto& date = *found->second.second->record;
  if (const auto on_sale = CheckOnSale(WindowOf(concert, date), now); !on_sale) return on_sale.error();
  return SaleView{concert.id, concert.details.room};
}

std::optional<std::uint64_t> BookingMirror::SeatsVersion(ScheduleId schedule) const {
  const std::shared_lock lock(mutex_);
  const auto* date = FindDate(schedule);
  if (!date) return std::nullopt;
  return PublicVersion(date->seats.version(), node_);
}

Outcome<BestSeats> BookingMirror::FindBestSeats(ScheduleId schedule, const BestAvailable& wish) const {
  const std::shared_lock lock(mutex_);
  const auto* date = FindDate(schedule);
  if (!date) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  auto chosen = ChooseSeats(date->seats, {.schedule = schedule, .best = wish});
  if (!chosen) return chosen.error();
  return BestSeats{date->record->layout, std::move(*chosen)};
}

Outcome<SeatsView> BookingMirror::Seats(ScheduleId schedule) const {
  const std::shared_lock lock(mutex_);
  const auto* date = FindDate(schedule);
  if (!date) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  return SeatsView{schedule, PublicVersion(date->seats.version(), node_), date->record->layout,
                   date->seats.states(), date->seats.counts()};
}

Outcome<std::optional<SeatChanges>> BookingMirror::Changes(ScheduleId schedule, std::uint64_t version) const {
  const std::shared_lock lock(mutex_);
  const auto* date = FindDate(schedule);
  if (!date) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  // A version of another node has no meaning here: each node counts changes in its own order.
  const bool mine = version % kMirrorNodes == node_ && version / kMirrorNodes <= date->seats.version();
  const auto changed = mine ? date->seats.ChangedSince(version / kMirrorNodes) : std::nullopt;
  if (!changed) return std::optional<SeatChanges>{};
  SeatChanges changes{PublicVersion(date->seats.version(), node_), {}};
  for (const auto seat : *changed) changes.changes.push_back({seat, date->seats.StateOf(seat)});
  return std::optional<SeatChanges>(std::move(changes));
}

Outcome<std::vector<SeatNumber>> BookingMirror::Choose(const HoldRequest& request) const {
  const std::shared_lock lock(mutex_);
  const auto* date = FindDate(request.schedule);
  if (!date) return Refused{Refusal::kScheduleNotFound, std::to_string(request.schedule)};
  return ChooseSeats(date->seats, request);
}

}  // namespace maejin::mysql
