// Counts reserved seats on the progress boards in Redis, and rebuilds these boards from the database.
//
// A rebuild takes a fence in Redis, which is a lease. Apply() refuses while the fence is held, so that no
// event is counted between the read of the database and the replacement. The relay delivers refused events
// again.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/redis/ranking/context.h"
#include "base/random.h"

namespace maejin::redis {

// Thread-safe. Every call may refuse with kUnavailable.
class ProgressWriter {
 public:
  enum class Rebuild : std::uint8_t {
    kAlways,
    kIfDifferent,  // replaces nothing while the boards agree with the database
  };

  // Both outlive it.
  ProgressWriter(RankingContext& context, Random& random) : context_(context), random_(random) {}

  // Counts the ProgressChanged events, each id once; skips other events. Also refuses while a rebuild runs.
  Task<Outcome<Done>> Apply(std::vector<BookingEvent> events);
  // Returns the number of rows that differed; 0 with kAlways. Also refuses while another rebuild runs.
  Task<Outcome<std::int64_t>> RebuildBoards(Rebuild when);

 private:
  // Reserved seats by window and member.
  using Counts = std::map<BoardWindow, std::map<std::string, std::int64_t>>;

  // Dates of schedules, by id.
  using Dates = std::map<std::string, std::string>;
  // What Redis has: its boards, the exact sets that exist now, and the dates.
  struct InRedis {
    Counts boards;
    Counts exact;  // only windows that were read have an exact set
    Dates dates;

    friend bool operator==(const InRedis&, const InRedis&) = default;
  };

  // The number of rows that differ from the database: on the boards, in their exact sets and among the dates.
  static std::int64_t CountDifferences(const Counts& database, const Dates& dates, const InRedis& redis);
  Counts CountReserved(const ReservedSeats& reserved) const;
  static Dates DatesOf(const ReservedSeats& reserved);
  Task<Outcome<InRedis>> ReadRedis();
  // True: the boards in Redis are the same as at the last comparison without differences.
  bool IsUnchanged(std::int64_t version, const InRedis& redis);
  // Every progress window that Redis may hold.
  std::vector<BoardWindow> Windows() const;
  Task<Outcome<Done>> ReplaceBoards(Counts counts, ReservedSeats reserved, std::string token);
  // Writes the rows under the window's staging keys.
  Task<Outcome<Done>> Stage(BoardWindow board, std::map<std::string, std::int64_t> rows);

  RankingContext& context_;
  Random& random_;
  std::mutex mutex_;
  // Guarded by mutex_: `progress` of ranking:state at the last comparison without differences, and what Redis
  // had then. After kComparedFromMemory comparisons with `compared_`, the database is read again.
  std::int64_t compared_version_ = -1;
  InRedis compared_;
  int unchanged_ = 0;
};

}  // namespace maejin::redis
