// Measures every sale at fixed moments and stores the points, so that operators can see the whole sale later.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/task.h"
#include "store/audit_store.h"
#include "store/booking_counters.h"
#include "store/booking_store.h"
#include "store/refusal_log.h"
#include "store/sale_series.h"
#include "store/waiting_room_store.h"

namespace maejin {

// An operator's action on the concert or on its room.
struct SaleMark {
  Time at{};
  std::string actor;
  std::string action;
  std::string detail;  // JSON, or empty
};

struct SaleSeriesView {
  std::vector<SalePoint> points;  // ascending by time
  std::vector<SaleMark> marks;    // ascending by time, since the first point
  std::optional<Time> opened_at;  // absent: the sale has not opened
};

// Read() is thread-safe; Tick() is called by one thread. The references outlive it.
class KeepSaleSeries {
 public:
  // All nodes measure at multiples of this interval, so that one moment is stored once.
  static constexpr Millis kEvery{5000};
  // Points older than kFineFor are thinned to one a minute, points older than kMinutesFor to one in 15
  // minutes. Points older than kKeptFor are deleted.
  static constexpr Millis kFineFor{std::chrono::hours(2)};
  static constexpr Millis kMinutesFor{std::chrono::hours(48)};
  static constexpr Millis kKeptFor{std::chrono::hours(24 * 400)};

  struct Dependencies {
    BookingStore& bookings;
    WaitingRoomStore& rooms;
    AuditStore& audit;
    RefusalLog& refusals;
    SaleSeries& series;
    BookingCounters& counters;
    // The answer times of this node since its start.
    std::function<HistogramCounts()> answer_times;
    const Clock& clock;
  };
  explicit KeepSaleSeries(Dependencies deps) : deps_(std::move(deps)) {}

  // Call about once a second. Blocks on the stores. A sale without a change gets no point.
  void Tick();

  // The points and actions after `after`. Refuses: kConcertNotFound, kUnavailable.
  Task<Outcome<SaleSeriesView>> Read(ConcertId concert, Time after) const;

 private:
  // The state of a sale that can be read from memory. A sale is measured when its glance has changed.
  struct Glance {
    std::int64_t total = 0;
    std::int64_t available = 0;
    std::int64_t held = 0;
    Serving line = {};
    // No seat is taken, and no fan was ever admitted or waits.
    bool IsIdle() const {
      return line.waiting == 0 && line.entered == 0 && line.serving == 0 && available == total;
    }
    friend bool operator==(const Glance&, const Glance&) = default;
  };
  struct Sale {
    ConcertId concert = 0;
    bool own_room = false;
    Glance glance = {};
  };
  struct Known {
    Glance glance;
    std::optional<SalePoint> last = {};
  };

  // Every concert of this node. Never waits.
  std::vector<Sale> Sales(Time now) const;
  Task<Outcome<SalePoint>> Measure(Sale sale, Time at) const;
  Money Revenue(ConcertId concert) const;
  Task<Outcome<std::vector<SaleMark>>> MarksSince(ConcertId concert, Time since) const;
  // The 99th percentile of the answer times since the last call; 0: there was no answer.
  std::chrono::microseconds TakeP99();
  void ThinPoints(Time now);

  Dependencies deps_;
  // Tick() only.
  Time last_moment_{};
  Time thin_at_{};
  std::map<ConcertId, Known> known_;
  BookingCounters::Expired expired_;  // not yet stored
  HistogramCounts answered_;          // deps_.answer_times() at the last TakeP99()
};

}  // namespace maejin
