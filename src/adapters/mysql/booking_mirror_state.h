// The state of a node's booking mirror (booking_mirror.h), and how rows of the database change it.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "store/booking_store.h"

namespace maejin::mysql {

// A shard is a range of neighbouring seats. One row of the database has the counts of a shard.
struct ShardRecord {
  std::int32_t shard = 0;
  SeatNumber first = 1;
  SeatNumber last = 0;
};

struct ScheduleRecord {
  ScheduleId id = 0;
  ConcertId concert = 0;
  Date date{};
  std::optional<Time> starts_at;
  std::optional<Time> sales_end_at;  // as the operator set it; absent: see SalesEndOf()
  std::optional<Time> day_ends_at;
  std::optional<Time> booking_open_at;
  Time created_at;
  bool cancelled = false;
  std::optional<Date> previous_date;
  Time postponed_at{};
  std::optional<Time> sold_out_at;
  std::int64_t for_sale = 0;
  std::shared_ptr<const SeatLayout> layout;
  std::vector<ShardRecord> shards;  // ascending; seat n is in shards[(n - 1) / kSeatsPerShard]
};

struct ConcertRecord {
  ConcertId id = 0;
  ConcertDetails details;
  bool cancelled = false;
  bool closed = false;
  Time created_at;
  std::optional<Time> sold_out_at;
  std::int64_t version = 0;
  std::int64_t life = 0;
  std::vector<std::shared_ptr<const ScheduleRecord>> schedules;
};

// The number of different node numbers in the versions of seat maps.
inline constexpr std::uint64_t kMirrorNodes = 256;

inline constexpr SeatNumber kSeatsPerShard = 512;
inline std::int32_t ShardOf(SeatNumber seat) { return (seat - 1) / kSeatsPerShard; }

SaleWindow WindowOf(const ConcertRecord& concert, const ScheduleRecord& schedule);
// Null: the concert has no such date.
std::shared_ptr<const ScheduleRecord> DateOf(const ConcertRecord& concert, ScheduleId schedule);

// Seats that one transaction moved, and the versions of their shards afterwards.
struct SeatsMoved {
  ScheduleId schedule = 0;
  std::vector<SeatNumber> seats;
  SeatState state = SeatState::kAvailable;
  struct Shard {
    std::int32_t shard = 0;
    std::int64_t version = 0;
  };
  std::vector<Shard> shards;
};

// One shard as the database had it at `version`.
struct ShardSnapshot {
  ScheduleId schedule = 0;
  std::int32_t shard = 0;
  std::int64_t version = 0;
  std::optional<Time> last_paid_at;
  std::vector<SeatChange> seats;
};

class BookingMirrorState {
 public:
  // Versions of seat maps start at `now` and carry the node's number.
  void Start(std::int64_t node, Time now);

  // --- filling
  void Put(std::shared_ptr<const ConcertRecord> concert);
  void Apply(const SeatsMoved& moved);
  void Apply(const ShardSnapshot& snapshot);
  void SoldOut(ConcertId concert, ScheduleId schedule, Time at, bool whole_concert);
  void Paid(ConcertId concert, Time at);
  // The version of a shard in the mirror; 0: unknown.
  std::int64_t VersionOf(ScheduleId schedule, std::int32_t shard) const;

  // Marks a schedule as moving: another node changed it.
  void Touch(ScheduleId schedule);
  // Schedules with seats that changed within the last seconds. The node refreshes them most often.
  std::vector<ScheduleId> Moving() const;

 protected:
  struct Shard {
    std::int64_t seen = 0;  // version of the newest snapshot applied
    std::int64_t own = 0;   // version of the newest change of this node
  };
  struct DateState {
    std::shared_ptr<const ScheduleRecord> record;
    std::optional<Time> sold_out_at;
    SeatMap seats;
    std::vector<Shard> shards;
    std::chrono::steady_clock::time_point moved_at{};
  };
  // The stock of a sale, read without mutex_ and written under it.
  struct StockCell {
    std::atomic<std::int64_t> total{0};
    std::atomic<std::int64_t> available{0};
    std::atomic<std::int64_t> held{0};
    std::atomic<SaleEnd> end{SaleEnd::kNone};
    std::atomic<bool> has_dates{false};
    // The stock is recomputed at this time, because the sale opens or the sale of a date ends. INT64_MIN: the
    // cell was never written.
    std::atomic<std::int64_t> valid_until_ms{INT64_MIN};
  };
  struct Sale {
    ConcertView View(Time now) const;
    SaleFacts FactsAt(Time now) const;
    // The next time at which the sale opens or the sale of a date ends; Time::max(): never.
    Time NextTurn(Time now) const;
    void WriteStock(Time now) const;

    std::shared_ptr<const ConcertRecord> record;
    std::optional<Time> sold_out_at;
    Time last_paid_at{};
    std::vector<std::unique_ptr<DateState>> dates;
    const std::shared_ptr<StockCell> stock = std::make_shared<StockCell>();
  };

  Sale* FindSale(ConcertId concert) const;
  DateState* FindDate(ScheduleId schedule) const;
  // The latest `now` that a call of StockOf() had.
  Time Now() const { return TimeFromMillis(now_ms_.load(std::memory_order_relaxed)); }

  std::uint64_t node_ = 0;  // the node's number within versions; below kMirrorNodes
  Time started_at_{};

  mutable std::shared_mutex mutex_;
  std::map<ConcertId, std::unique_ptr<Sale>> sales_;                    // guarded by mutex_
  std::unordered_map<ScheduleId, std::pair<Sale*, DateState*>> dates_;  // guarded by mutex_
  mutable std::atomic<std::int64_t> now_ms_{0};
  // Raised after every change of a concert, a date or a BLOCKED seat.
  std::atomic<std::uint64_t> version_{0};

  // Locked to find the cell of a concert, and to add the cell of a new concert.
  mutable std::shared_mutex cells_mutex_;
  std::unordered_map<ConcertId, std::shared_ptr<StockCell>> cells_;  // guarded by cells_mutex_
};

}  // namespace maejin::mysql
