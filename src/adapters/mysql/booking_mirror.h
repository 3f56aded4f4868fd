// A node's copy of the bookings in the database, so that reads never wait for the database and continue
// during an outage. A node's own changes are here before their answers leave; those of other nodes follow
// with the next refresh. Nothing is given to a customer from here: a seat that looks available is taken by
// the guarded row or not at all.
//
// Thread-safe.
#pragma once

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
  std::optional<Time> sales_end_at;  // as named
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

class BookingMirror {
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
  // Schedules with seats that changed within the last seconds: refreshed most often.
  std::vector<ScheduleId> Moving() const;

  // --- reading
  std::shared_ptr<const ConcertRecord> RecordOf(ConcertId concert) const;
  std::shared_ptr<const ConcertRecord> RecordOfSchedule(ScheduleId schedule) const;
  // Concerts whose opening time is not after `now`, ascending by that time.
  struct Opening {
    ConcertId concert = 0;
    Time at{};
  };
  std::vector<Opening> OpenedBy(Time now) const;
  // The latest payment that the mirror has seen.
  Time LastPaidAt(ConcertId concert) const;
  Outcome<ConcertView> Find(ConcertId concert, Time now) const;
  std::vector<ConcertView> List(ConcertId after, std::size_t limit, Time now) const;
  // Counts only dates that still sell at `now`.
  std::optional<Stock> StockOf(ConcertId concert, Time now) const;
  Stock TotalStock() const;
  Outcome<SaleView> OnSale(ScheduleId schedule, Time now) const;
  std::optional<std::uint64_t> SeatsVersion(ScheduleId schedule) const;
  Outcome<BestSeats> FindBestSeats(ScheduleId schedule, const BestAvailable& wish) const;
  Outcome<SeatsView> Seats(ScheduleId schedule) const;
  Outcome<std::optional<SeatChanges>> Changes(ScheduleId schedule, std::uint64_t version) const;
  // The seats a hold would take, as far as this node knows; refusals in the order of
  // domain/booking/concert.h.
  Outcome<std::vector<SeatNumber>> Choose(const HoldRequest& request) const;

 private:
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
  struct Sale {
    ConcertView View(Time now) const;
    SaleFacts FactsAt(Time now) const;

    std::shared_ptr<const ConcertRecord> record;
    std::optional<Time> sold_out_at;
    Time last_paid_at{};
    std::vector<std::unique_ptr<DateState>> dates;
  };

  Sale* FindSale(ConcertId concert) const;
  DateState* FindDate(ScheduleId schedule) const;

  std::uint64_t node_ = 0;  // the node's number within versions; below kNodes (booking_mirror.cpp)
  Time started_at_{};

  mutable std::shared_mutex mutex_;
  std::map<ConcertId, std::unique_ptr<Sale>> sales_;                    // guarded by mutex_
  std::unordered_map<ScheduleId, std::pair<Sale*, DateState*>> dates_;  // guarded by mutex_
};

}  // namespace maejin::mysql
