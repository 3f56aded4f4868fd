#include "usecase/keep_sale_series.h"

#include <algorithm>

#include "base/run_task.h"

namespace maejin {
namespace {

constexpr std::size_t kConcertsAtOnce = 1000;
constexpr std::size_t kAuditRowsAtOnce = 1000;
constexpr std::size_t kMostAuditPages = 20;
constexpr Millis kThinEvery{std::chrono::minutes(10)};

}  // namespace

Money KeepSaleSeries::Revenue(ConcertId concert) const {
  const auto view = deps_.bookings.FindConcert(concert, deps_.clock.Now());
  if (!view) return 0;
  Money sum = 0;
  for (const auto& schedule : view->schedules) {
    const auto seats = deps_.bookings.ReadSeats(schedule.id);
    if (!seats) continue;
    for (const auto& row : seats->layout->rows()) {
      const auto price = seats->layout->sections()[row.section].price;
      for (auto seat = row.first; seat < row.first + row.count; ++seat) {
        if (seats->states[static_cast<std::size_t>(seat - 1)] == SeatState::kAssigned) sum += price;
      }
    }
  }
  return sum;
}

Task<Outcome<SalePoint>> KeepSaleSeries::Measure(Sale sale, Time at) const {
  const auto& glance = sale.glance;
  SalePoint point;
  point.at = at;
  point.held = glance.held;
  point.sold = glance.total - glance.available - glance.held;
  point.waiting = glance.line.waiting;
  point.entered = glance.line.entered;
  if (sale.own_room) {
    const auto tally = co_await deps_.rooms.ReadTally(RoomOf(sale.concert), deps_.clock.Now());
    if (!tally) co_return tally.error();
    point.arrivals = tally->arrivals;
    point.admissions = tally->admissions;
  }
  const auto refusals = co_await deps_.refusals.Read(sale.concert);
  if (!refusals) co_return refusals.error();
  for (const auto& [code, count] : *refusals)
    (code == Code(Refusal::kPaymentDeclined) ? point.declined : point.refused) += count;
  if (point.sold > 0) point.revenue = Revenue(sale.concert);
  co_return point;
}

std::vector<KeepSaleSeries::Sale> KeepSaleSeries::Sales(Time now) const {
  std::map<RoomId, Serving> lines;
  for (const auto& room : deps_.rooms.Stats()) lines.emplace(room.room, room.serving);
  std::vector<Sale> sales;
  for (ConcertId after = 0;;) {
    const auto page = deps_.bookings.ListChanges(after, kConcertsAtOnce);
    for (const auto& change : page) {
      const auto stock = deps_.bookings.StockAtOnce(change.concert, now);
      if (!stock) continue;
      Sale sale{
          change.concert, change.room == RoomKind::kOwn, {stock->total, stock->available, stock->held, {}}};
      const auto line = lines.find(RoomOf(change.concert));
      if (sale.own_room && line != lines.end()) sale.glance.line = line->second;
      sales.push_back(std::move(sale));
    }
    if (page.size() < kConcertsAtOnce) return sales;
    after = page.back().concert;
  }
}

std::chrono::microseconds KeepSaleSeries::TakeP99() {
  auto now = deps_.answer_times();
  const auto seconds = QuantileBetween(answered_, now, 0.99).value_or(0);
  answered_ = std::move(now);
  return std::chrono::round<std::chrono::microseconds>(std::chrono::duration<double>(seconds));
}

void KeepSaleSeries::Tick() {
  const auto now = deps_.clock.Now();
  const auto moment = TimeFromMillis(ToMillis(now) / kEvery.count() * kEvery.count());
  if (moment <= last_moment_) return;
  last_moment_ = moment;
  const auto p99 = TakeP99();
  for (const auto& [concert, count] : deps_.counters.TakeExpired()) expired_[concert] += count;
  SaleSeries::Points points;
  std::map<ConcertId, Known> measured;
  for (const auto& sale : Sales(now)) {
    const auto known = known_.find(sale.concert);
    const bool is_new = known == known_.end();
    const auto expired = expired_.find(sale.concert);
    const bool has_expired = expired != expired_.end();
    if (!has_expired && !is_new && known->second.glance == sale.glance) continue;
    if (!has_expired && is_new && sale.glance.IsIdle()) {
      known_[sale.concert].glance = sale.glance;
      continue;
    }
    auto point = RunTask(Measure(sale, moment));
    if (!point) continue;
    // A point at the end of the time without a change, so that charts draw that time flat.
    if (!is_new && known->second.last && known->second.last->at < moment - kEvery) {
      points.emplace_back(sale.concert, *known->second.last);
      points.back().second.at = moment - kEvery;
    }
    measured[sale.concert] = Known{sale.glance, *point};
    point->p99 = p99;
    if (has_expired) point->expired = expired->second;
    points.emplace_back(sale.concert, *point);
  }
  if (!points.empty() && RunTask(deps_.series.Add(std::move(points)))) {
    for (auto& [concert, known] : measured) {
      known_[concert] = known;
      expired_.erase(concert);
    }
  }
  ThinPoints(now);
}

void KeepSaleSeries::ThinPoints(Time now) {
  if (now < thin_at_) return;
  thin_at_ = now + kThinEvery;
  // An error is ignored: the next ThinPoints() covers the same points.
  (void)RunTask(deps_.series.Thin(now - kFineFor, std::chrono::minutes(1)));
  (void)RunTask(deps_.series.Thin(now - kMinutesFor, std::chrono::minutes(15)));
  (void)RunTask(deps_.series.Forget(now - kKeptFor));
}

// The audit log is read from the newest row back, so the marks are reversed at the end.
Task<Outcome<std::vector<SaleMark>>> KeepSaleSeries::MarksSince(ConcertId concert, Time since) const {
  const auto id = std::to_string(concert);
  std::vector<SaleMark> marks;
  std::optional<std::int64_t> before;
  for (std::size_t pages = 0; pages < kMostAuditPages; ++pages) {
    auto page = co_await deps_.audit.Page(before, kAuditRowsAtOnce);
    if (!page) co_return page.error();
    for (auto& row : *page) {
      if (row.at <= since) break;
      if (row.subject != "concert " + id && row.subject != "room " + id) continue;
      marks.push_back({row.at, std::move(row.actor), std::move(row.action), std::move(row.detail)});
    }
    if (page->size() < kAuditRowsAtOnce || page->back().at <= since) break;
    before = page->back().id;
  }
  std::reverse(marks.begin(), marks.end());
  co_return marks;
}

Task<Outcome<SaleSeriesView>> KeepSaleSeries::Read(ConcertId concert, Time after) const {
  const auto now = deps_.clock.Now();
  auto found = deps_.bookings.FindConcert(concert, now);
  if (!found) {
    const auto looked = co_await deps_.bookings.LoadMissing(SaleRef::OfConcert(concert));
    if (!looked) co_return looked.error();
    found = deps_.bookings.FindConcert(concert, now);
  }
  if (!found) co_return found.error();
  SaleSeriesView view;
  const auto opens_at = found->details.booking_open_at;
  if (opens_at && *opens_at <= now) view.opened_at = opens_at;
  auto points = co_await deps_.series.Read(concert, after);
  if (!points) co_return points.error();
  view.points = std::move(*points);
  const auto begin = view.points.empty() ? now : view.points.front().at - kEvery;
  auto marks = co_await MarksSince(concert, std::max(after, std::min(begin, now - kFineFor)));
  if (!marks) co_return marks.error();
  view.marks = std::move(*marks);
  co_return view;
}

}  // namespace maejin
