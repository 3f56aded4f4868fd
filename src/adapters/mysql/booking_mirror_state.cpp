#include "adapters/mysql/booking_mirror_state.h"

#include <algorithm>
#include <mutex>

namespace maejin::mysql {
namespace {

constexpr Seconds kMovesFor{5};

// The first version of a seat map. Versions increase over restarts as long as seats change less than 64 times
// a millisecond. Together with the node's number, versions stay below 2^53, so JavaScript reads them exactly.
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

void BookingMirrorState::Start(std::int64_t node, Time now) {
  node_ = static_cast<std::uint64_t>(node) % kMirrorNodes;
  started_at_ = now;
}

BookingMirrorState::Sale* BookingMirrorState::FindSale(ConcertId concert) const {
  const auto found = sales_.find(concert);
  return found == sales_.end() ? nullptr : found->second.get();
}

BookingMirrorState::DateState* BookingMirrorState::FindDate(ScheduleId schedule) const {
  const auto found = dates_.find(schedule);
  return found == dates_.end() ? nullptr : found->second.second;
}

void BookingMirrorState::Put(std::shared_ptr<const ConcertRecord> concert) {
  const std::unique_lock lock(mutex_);
  auto& sale = sales_[concert->id];
  if (!sale) {
    sale = std::make_unique<Sale>();
    const std::unique_lock cells_lock(cells_mutex_);
    cells_.emplace(concert->id, sale->stock);
  }
  // Two reads of one concert may finish in either order. The mirror keeps the newer record.
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
  sale->WriteStock(Now());
  version_.fetch_add(1, std::memory_order_release);
}

void BookingMirrorState::Apply(const SeatsMoved& moved) {
  const std::unique_lock lock(mutex_);
  const auto found = dates_.find(moved.schedule);
  if (found == dates_.end()) return;
  auto& [sale, date] = found->second;
  date->moved_at = std::chrono::steady_clock::now();
  const auto blocked = date->seats.counts().blocked;
  for (const auto& [shard, version] : moved.shards) {
    auto& known = date->shards[static_cast<std::size_t>(shard)];
    // A newer snapshot already contains this change.
    if (version <= known.seen) continue;
    known.own = std::max(known.own, version);
    for (const auto seat : moved.seats) {
      if (ShardOf(seat) == shard) date->seats.Set(seat, moved.state, SeatMap::kNoReservation);
    }
  }
  sale->WriteStock(Now());
  if (date->seats.counts().blocked != blocked) version_.fetch_add(1, std::memory_order_release);
}

void BookingMirrorState::Apply(const ShardSnapshot& snapshot) {
  const std::unique_lock lock(mutex_);
  const auto found = dates_.find(snapshot.schedule);
  if (found == dates_.end()) return;
  auto& [sale, date] = found->second;
  auto& known = date->shards[static_cast<std::size_t>(snapshot.shard)];
  if (snapshot.version < known.own || snapshot.version <= known.seen) return;
  known.seen = snapshot.version;
  date->moved_at = std::chrono::steady_clock::now();
  if (snapshot.last_paid_at) sale->last_paid_at = std::max(sale->last_paid_at, *snapshot.last_paid_at);
  const auto blocked = date->seats.counts().blocked;
  for (const auto& [number, state] : snapshot.seats) {
    if (date->seats.StateOf(number) != state) date->seats.Set(number, state, SeatMap::kNoReservation);
  }
  sale->WriteStock(Now());
  if (date->seats.counts().blocked != blocked) version_.fetch_add(1, std::memory_order_release);
}

void BookingMirrorState::SoldOut(ConcertId concert, ScheduleId schedule, Time at, bool whole_concert) {
  const std::unique_lock lock(mutex_);
  auto* date = FindDate(schedule);
  if (date && !date->sold_out_at) date->sold_out_at = at;
  auto* sale = FindSale(concert);
  if (whole_concert && sale && !sale->sold_out_at) sale->sold_out_at = at;
}

void BookingMirrorState::Paid(ConcertId concert, Time at) {
  const std::unique_lock lock(mutex_);
  if (auto* sale = FindSale(concert)) sale->last_paid_at = std::max(sale->last_paid_at, at);
}

std::int64_t BookingMirrorState::VersionOf(ScheduleId schedule, std::int32_t shard) const {
  const std::shared_lock lock(mutex_);
  const auto* date = FindDate(schedule);
  if (!date || static_cast<std::size_t>(shard) >= date->shards.size()) return INT64_MAX;
  return date->shards[static_cast<std::size_t>(shard)].seen;
}

void BookingMirrorState::Touch(ScheduleId schedule) {
  const std::unique_lock lock(mutex_);
  if (auto* date = FindDate(schedule)) date->moved_at = std::chrono::steady_clock::now();
}

std::vector<ScheduleId> BookingMirrorState::Moving() const {
  const auto since = std::chrono::steady_clock::now() - kMovesFor;
  std::vector<ScheduleId> moving;
  const std::shared_lock lock(mutex_);
  for (const auto& [id, date] : dates_) {
    if (date.second->moved_at > since) moving.push_back(id);
  }
  return moving;
}

SaleFacts BookingMirrorState::Sale::FactsAt(Time now) const {
  SaleFacts facts{record->cancelled, record->closed, record->details.booking_open_at};
  for (const auto& date : dates)
    facts.AddDate(date->record->cancelled, SalesEndOf(*date->record), date->seats.counts(), now);
  return facts;
}

ConcertView BookingMirrorState::Sale::View(Time now) const {
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
    part.lowest_price = date->seats.layout()->LowestPrice();
    view.schedules.push_back(part);
  }
  const auto facts = FactsAt(now);
  view.counts = facts.counts;
  view.status = StatusAt(facts, now);
  view.life = record->life;
  view.closed = record->closed;
  return view;
}

Time BookingMirrorState::Sale::NextTurn(Time now) const {
  auto next = Time::max();
  const auto& opens_at = record->details.booking_open_at;
  if (opens_at && *opens_at > now) next = *opens_at;
  for (const auto& date : dates) {
    const auto ends_at = SalesEndOf(*date->record);
    if (ends_at > now) next = std::min(next, ends_at);
  }
  return next;
}

void BookingMirrorState::Sale::WriteStock(Time now) const {
  const auto facts = FactsAt(now);
  stock->total.store(facts.on_sale.ForSale(), std::memory_order_relaxed);
  stock->available.store(facts.on_sale.available, std::memory_order_relaxed);
  stock->held.store(facts.on_sale.held, std::memory_order_relaxed);
  stock->end.store(SaleEndOf(StatusAt(facts, now)), std::memory_order_relaxed);
  stock->has_dates.store(facts.living > 0, std::memory_order_relaxed);
  stock->valid_until_ms.store(ToMillis(NextTurn(now)), std::memory_order_release);
}

}  // namespace maejin::mysql
