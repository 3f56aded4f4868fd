#include "cli/top/top_view.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace maejin::cli {
namespace {

enum class Comparison : std::uint8_t { kNow, kPerSecond, kPerMinute, kMedian, kP99 };

// How a figure is computed from metrics.
struct FigureSource {
  std::string_view group;
  std::string_view label;
  std::string_view name;
  Comparison comparison;
  std::string_view metric;
  std::string_view where = {};        // a label; empty: every series counts
  std::string_view begins_with = {};  // only series whose label begins with this
};

constexpr std::string_view kRequests = "maejin_http_requests_total";
constexpr std::string_view kDurations = "maejin_http_request_duration_seconds";
constexpr std::string_view kSeatsByState = "maejin_booking_seats";

// Most important first: figures that do not fit on the screen are cut off at the end.
constexpr FigureSource kFigures[] = {
    {"requests", "", "perSecond", Comparison::kPerSecond, kRequests},
    {"requests", "errors", "errorsPerSecond", Comparison::kPerSecond, kRequests, "status", "5"},
    {"requests", "refused", "refusedPerSecond", Comparison::kPerSecond, kRequests, "status", "4"},
    {"requests", "p50", "p50Seconds", Comparison::kMedian, kDurations},
    {"requests", "p99", "p99Seconds", Comparison::kP99, kDurations},
    {"connections", "", "open", Comparison::kNow, "maejin_http_connections"},
    {"connections", "in flight", "inFlight", Comparison::kNow, "maejin_http_requests_in_flight"},
    {"connections", "shed", "shedPerSecond", Comparison::kPerSecond, "maejin_http_shed_total"},
    {"connections", "turned away", "refusedPerSecond", Comparison::kPerSecond,
     "maejin_http_connections_refused_total"},
    {"line", "waiting", "waiting", Comparison::kNow, "maejin_rooms_waiting"},
    {"line", "inside", "inside", Comparison::kNow, "maejin_rooms_entered"},
    {"line", "arrivals", "arrivalsPerSecond", Comparison::kPerSecond, "maejin_room_arrivals_total"},
    {"line", "admitted", "admittedPerMinute", Comparison::kPerMinute, "maejin_room_admissions_total"},
    {"line", "no-shows", "noShowsPerMinute", Comparison::kPerMinute, "maejin_room_no_shows_total"},
    {"seats", "sold", "sold", Comparison::kNow, kSeatsByState, "state", "assigned"},
    {"seats", "held", "held", Comparison::kNow, kSeatsByState, "state", "held"},
    {"seats", "free", "free", Comparison::kNow, kSeatsByState, "state", "available"},
    {"seats", "paid", "paidPerSecond", Comparison::kPerSecond, "maejin_booking_reservations_paid_total"},
    {"seats", "expired", "expiredPerSecond", Comparison::kPerSecond, "maejin_booking_holds_expired_total"},
    {"seats", "unsettled", "unsettledPayments", Comparison::kNow, "maejin_payments_unsettled"},
    {"rankings", "rows repaired", "rowsRepaired", Comparison::kNow, "maejin_ranking_drift_total"},
    {"rankings", "listeners", "listeners", Comparison::kNow, "maejin_ranking_listeners"},
    {"rankings", "events waiting", "eventsWaiting", Comparison::kNow, "maejin_outbox_waiting"},
};

double SecondsBetween(const TopReading& before, const TopReading& now) {
  return std::chrono::duration<double>(now.at - before.at).count();
}

std::optional<double> Rate(std::optional<double> growth, const TopReading& before, const TopReading& now,
                           double unit_seconds) {
  const auto seconds = SecondsBetween(before, now);
  if (!growth || seconds <= 0) return {};
  return std::max(0.0, *growth) * unit_seconds / seconds;
}

Figure MakeFigure(const FigureSource& source, const TopReading& now, const TopReading* before,
                  const TopReading* earlier) {
  const auto filter = [&](std::string_view labels) {
    return source.where.empty() || LabelOf(labels, source.where).value_or("").starts_with(source.begins_with);
  };
  const bool quantile = source.comparison == Comparison::kMedian || source.comparison == Comparison::kP99;
  const auto metric = std::string(source.metric) + (quantile ? "_bucket" : "");
  Figure figure;
  figure.group = source.group;
  figure.label = source.label;
  figure.name = source.name;
  figure.reported = now.metrics.contains(metric);
  switch (source.comparison) {
    case Comparison::kNow:
      figure.value = SumOf(now.metrics, metric, filter);
      break;
    case Comparison::kPerSecond:
      figure.unit = FigureUnit::kPerSecond;
      if (before)
        figure.value = Rate(GrowthOf(before->metrics, now.metrics, metric, filter), *before, now, 1);
      break;
    case Comparison::kPerMinute:
      figure.unit = FigureUnit::kPerMinute;
      if (earlier)
        figure.value = Rate(GrowthOf(earlier->metrics, now.metrics, metric, filter), *earlier, now, 60);
      break;
    case Comparison::kMedian:
    case Comparison::kP99:
      figure.unit = FigureUnit::kSeconds;
      if (before)
        figure.value = QuantileOf(before->metrics, now.metrics, source.metric,
                                  source.comparison == Comparison::kMedian ? 0.5 : 0.99);
      break;
  }
  return figure;
}

// Sums over the rooms, for a server whose /metrics has no room totals.
void CountRooms(const std::vector<RoomReading>& rooms, std::vector<Figure>& figures) {
  for (auto& figure : figures) {
    if (figure.reported || (figure.name != "waiting" && figure.name != "inside")) continue;
    std::int64_t sum = 0;
    for (const auto& room : rooms) sum += figure.name == "waiting" ? room.waiting : room.entered;
    figure.reported = !rooms.empty();
    if (figure.reported) figure.value = static_cast<double>(sum);
  }
}

// The rows of another reading by id; empty if `rows` is null.
template <class Id, class Row>
std::map<Id, const Row*> ById(const std::vector<Row>* rows) {
  std::map<Id, const Row*> found;
  if (!rows) return found;
  for (const auto& row : *rows) found[row.id] = &row;
  return found;
}

// Admissions of a room between two readings: from its counter, else from its serving number if that did not
// fall.
std::optional<double> Admitted(const RoomReading& then, const RoomReading& now) {
  if (then.admitted && now.admitted)
    return *now.admitted < *then.admitted ? *now.admitted : *now.admitted - *then.admitted;
  if (!then.serving || !now.serving || *now.serving < *then.serving) return {};
  return static_cast<double>(*now.serving - *then.serving);
}

std::vector<TopRoom> TopRooms(const TopReading& now, const TopReading* earlier) {
  std::map<std::string, std::string> titles;
  for (const auto& concert : now.concerts) titles[std::to_string(concert.id)] = concert.title;
  const auto then = ById<std::string>(earlier ? &earlier->rooms : nullptr);
  std::vector<TopRoom> views;
  for (const auto& room : now.rooms) {
    TopRoom view{.room = room, .title = {}, .admitted_per_minute = {}};
    if (const auto title = titles.find(room.id); title != titles.end()) view.title = title->second;
    if (const auto same = then.find(room.id); same != then.end())
      view.admitted_per_minute = Rate(Admitted(*same->second, room), *earlier, now, 60);
    views.push_back(std::move(view));
  }
  std::sort(views.begin(), views.end(), [](const TopRoom& a, const TopRoom& b) {
    return std::tie(b.room.waiting, b.room.entered, a.room.id) <
           std::tie(a.room.waiting, a.room.entered, b.room.id);
  });
  return views;
}

std::vector<TopConcert> TopConcerts(const TopReading& now, const TopReading* earlier) {
  std::map<std::string, std::int64_t> waiting;
  for (const auto& room : now.rooms) waiting[room.id] = room.waiting;
  const auto sold = [](const ConcertReading& concert) { return concert.total - concert.free - concert.held; };
  const auto then = ById<std::int64_t>(earlier ? &earlier->concerts : nullptr);
  std::vector<TopConcert> views;
  for (const auto& concert : now.concerts) {
    if (concert.status != "OPEN" && concert.status != "SOLD_OUT") continue;
    TopConcert view{.concert = concert, .sold = sold(concert), .sold_per_minute = {}};
    if (const auto same = then.find(concert.id); same != then.end())
      view.sold_per_minute = Rate(static_cast<double>(view.sold - sold(*same->second)), *earlier, now, 60);
    views.push_back(std::move(view));
  }
  const auto order = [&](const TopConcert& view) {
    const auto room = waiting.find(std::to_string(view.concert.id));
    // Descending: open before sold out, then longer line, later sell-out, newer concert.
    return std::tuple(view.concert.status == "OPEN", room == waiting.end() ? 0 : room->second,
                      view.concert.sold_out_at, view.concert.id);
  };
  std::sort(views.begin(), views.end(),
            [&](const TopConcert& a, const TopConcert& b) { return order(b) < order(a); });
  return views;
}

}  // namespace

TopView MakeTopView(std::string url, const TopReading& now, const TopReading* before,
                    const TopReading* earlier) {
  TopView view;
  view.url = std::move(url);
  view.at = now.at;
  view.ready = now.ready;
  view.draining = now.draining;
  view.checks = now.checks;
  view.server = now.server;
  for (const auto& source : kFigures) view.figures.push_back(MakeFigure(source, now, before, earlier));
  CountRooms(now.rooms, view.figures);
  view.rooms = TopRooms(now, earlier);
  view.concerts = TopConcerts(now, earlier);
  view.notes = now.notes;
  return view;
}

}  // namespace maejin::cli
