#include "adapters/mysql/booking_mirror.h"

#include <algorithm>
#include <mutex>

namespace maejin::mysql {
namespace {

constexpr Seconds kMovesFor{5};
constexpr std::uint64_t kNodes = 256;

// The version as clients see it: the node's number is part of it, since each node counts its own changes.
std::uint64_t PublicVersion(std::uint64_t version, std::uint64_t node) { return version * kNodes + node; }

// The first version of a seat map. Versions increase over restarts as long as seats change less than 64 times
// a millisecond. With the node's number behind them they stay below 2^53, so that JavaScript reads them
// exactly.
std::uint64_t FirstVersion(Time at) {
  constexpr std::int64_t kYear2020Millis = 1'577'836'800'000;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(ToMillis(at) - kYear2020Millis, 0)) * 64;
}

}  // namespace

SaleWindow WindowOf(const ConcertRecord& concert, const ScheduleRecord& schedule) {
  return {concert.cancelled || schedule.cancelled,
          concert.closed,
          concert.details.booking_open_at,
          schedule.booking_open_at,
          schedule.created_at,
          SalesEndOf(schedule)};
}

std::shared_ptr<const ScheduleRecord> DateOf(const ConcertRecord& concert, ScheduleId schedule) {
  for (const auto& date : concert.schedules) {
    if (date->id == schedule) return date;
  }
  return nullptr;
}

void BookingMirror::Start(std::int64_t node, Time now) {
  node_ = static_cast<std::uint64_t>(node) % kNodes;
  started_at_ = now;
}

BookingMirror::Sale* BookingMirror::FindSale(ConcertId concert) const {
  const auto found = sales_.find(concert);
  return found == sales_.end() ? nullptr : found->second.get();
}

BookingMirror::DateState* BookingMirror::FindDate(ScheduleId schedule) const {
  const auto found = dates_.find(schedule);
  return found == dates_.end() ? nullptr : found->second.second;
}

void BookingMirror::Put(std::shared_ptr<const ConcertRecord> concert) {
  const std::unique_lock lock(mutex_);
  auto& sale = sales_[concert->id];
  if (!sale) sale = std::make_unique<Sale>();
  // Two readers may finish in either order.
  if (sale->record && sale->record->version > concert->version) return;
  for (const auto& schedule : concert->schedules) {
    auto* date = FindDate(schedule->id);
    if (!date) {
      const auto since = FirstVersion(std::max(started_at_, schedule->created_at));
      sale->dates.push_back(std::make_unique<DateState>(DateState{
          schedule, {}, SeatMap(schedule->layout, since), std::vector<Shard>(schedule->shards.size()), {}}));
      date = sale->dates.back().get();
      dates_[schedule->id] = {sale.get(), date};
    }
    date->record = schedule;
    if (schedule->sold_out_at) date->sold_out_at = schedule->sold_out_at;
  }
  if (concert->sold_out_at) sale->sold_out_at = concert->sold_out_at;
  sale->record = std::move(concert);
}

void BookingMirror::Apply(const SeatsMoved& moved) {
  const std::unique_lock lock(mutex_);
  auto* date = FindDate(moved.schedule);
  if (!date) return;
  date->moved_at = std::chrono::steady_clock::now();
  for (const auto& [shard, version] : moved.shards) {
    auto& known = date->shards[static_cast<std::size_t>(shard)];
    // A newer snapshot already contains this change.
    if (version <= known.seen) continue;
    known.own = std::max(known.own, version);
    for (const auto seat : moved.seats) {
      if (ShardOf(seat) == shard) date->seats.Set(seat, moved.state, SeatMap::kNobody);
    }
  }
}

void BookingMirror::Apply(const ShardSnapshot& snapshot) {
  const std::unique_lock lock(mutex_);
  const auto found = dates_.find(snapshot.schedule);
  if (found == dates_.end()) return;
  auto& [sale, date] = found->second;
  auto& known = date->shards[static_cast<std::size_t>(snapshot.shard)];
  if (snapshot.version < known.own || snapshot.version <= known.seen) return;
  known.seen = snapshot.version;
  date->moved_at = std::chrono::steady_clock::now();
  if (snapshot.last_paid_at) sale->last_paid_at = std::max(sale->last_paid_at, *snapshot.last_paid_at);
  for (const auto& [number, state] : snapshot.seats) {
    if (date->seats.StateOf(number) != state) date->seats.Set(number, state, SeatMap::kNobody);
  }
}

void BookingMirror::SoldOut(ConcertId concert, ScheduleId schedule, Time at, bool whole_concert) {
  const std::unique_lock lock(mutex_);
  auto* date = FindDate(schedule);
  if (date && !date->sold_out_at) date->sold_out_at = at;
  auto* sale = FindSale(concert);
  if (whole_concert && sale && !sale->sold_out_at) sale->sold_out_at = at;
}

void BookingMirror::Paid(ConcertId concert, Time at) {
  const std::unique_lock lock(mutex_);
  if (auto* sale = FindSale(concert)) sale->last_paid_at = std::max(sale->last_paid_at, at);
}

std::int64_t BookingMirror::VersionOf(ScheduleId schedule, std::int32_t shard) const {
  const std::shared_lock lock(mutex_);
  const auto* date = FindDate(schedule);
  if (!date || static_cast<std::size_t>(shard) >= date->shards.size()) return INT64_MAX;
  return date->shards[static_cast<std::size_t>(shard)].seen;
}

void BookingMirror::Touch(ScheduleId schedule) {
  const std::unique_lock lock(mutex_);
  if (auto* date = FindDate(schedule)) date->moved_at = std::chrono::steady_clock::now();
}

std::vector<ScheduleId> BookingMirror::Moving() const {
  const auto since = std::chrono::steady_clock::now() - kMovesFor;
  std::vector<ScheduleId> moving;
  const std::shared_lock lock(mutex_);
  for (const auto& [id, date] : dates_) {
    if (date.second->moved_at > since) moving.push_back(id);
  }
  return moving;
}

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

SaleFacts BookingMirror::Sale::FactsAt(Time now) const {
  SaleFacts facts{record->cancelled, record->closed, record->details.booking_open_at};
  for (const auto& date : dates)
    facts.AddDate(date->record->cancelled, SalesEndOf(*date->record), date->seats.counts(), now);
  return facts;
}

ConcertView BookingMirror::Sale::View(Time now) const {
  ConcertView view;
  view.id = record->id;
  view.details = record->details;
  view.created_at = record->created_at;
  view.sold_out_at = sold_out_at;
  for (const auto& date : dates) {
    const auto& schedule = *date->record;
    ScheduleView part;
    part.id = schedule.id;
    part.date = schedule.date;
    part.starts_at = schedule.starts_at;
    part.booking_open_at = schedule.booking_open_at;
    part.created_at = schedule.created_at;
    part.cancelled = schedule.cancelled;
    part.sold_out_at = date->sold_out_at;
    part.counts = date->seats.counts();
    part.sales_end_at = SalesEndOf(schedule);
    part.ended = now >= part.sales_end_at;
    part.previous_date = schedule.previous_date;
    part.postponed_at = schedule.postponed_at;
    view.schedules.push_back(part);
  }
  const auto facts = FactsAt(now);
  view.counts = facts.counts;
  view.status = StatusAt(facts, now);
  view.life = record->life;
  view.closed = record->closed;
  return view;
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

std::optional<Stock> BookingMirror::StockOf(ConcertId concert, Time now) const {
  const std::shared_lock lock(mutex_);
  const auto* sale = FindSale(concert);
  if (!sale) return std::nullopt;
  const auto facts = sale->FactsAt(now);
  const auto& seats = facts.on_sale;
  return Stock{seats.ForSale(), seats.available, seats.held, SaleEndOf(StatusAt(facts, now))};
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
  // A version of another node: its changes have another order.
  const bool mine = version % kNodes == node_ && version / kNodes <= date->seats.version();
  const auto changed = mine ? date->seats.ChangedSince(version / kNodes) : std::nullopt;
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
