// Collects the polls ("signs of life") of waiters far from the front, and writes them to Redis in batches.
//
// A waiter's poll is written at most once per poll interval. A waiter is absent after three intervals, so its
// last poll is always written in time. This costs eight bytes of memory per fan that this node has seen.
//
// Not thread-safe.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "domain/waiting_room/places.h"

namespace maejin::redis {

class SignsOfLife {
 public:
  // One key has the last polls of this many neighbouring places (room:42:seen:0, …).
  static constexpr PlaceNumber kPerPage = 65'536;

  struct Sign {
    PlaceNumber number = 0;
    // Milliseconds * 1024 + the poll interval in tenths of a second.
    std::int64_t value = 0;
  };
  // Fans that may become absent sooner than Redis expects, by the second from which on to check them.
  using Sooner = std::map<Time, std::vector<std::string>>;
  struct Batch {
    std::vector<Sign> signs;  // ascending by number
    Sooner sooner;
    bool empty() const { return signs.empty() && sooner.empty(); }
  };

  // Records a poll. `interval`: the poll interval that the fan was told in the answer.
  void RecordPoll(PlaceNumber number, std::string_view user, Time now, Millis interval);
  // Like RecordPoll(), for a poll that Redis has counted: the node need not write it.
  void RecordWrittenPoll(PlaceNumber number, Time now, Millis interval);
  // Takes the polls that are due to be written by `now`.
  Batch Take(Time now);
  // Returns a batch that could not be written.
  void Return(Batch batch, Time now);
  // Forgets fans without a poll since `before`.
  void Forget(Time before);

 private:
  struct Seen {
    std::uint64_t at_ms : 48 = 0;
    std::uint64_t tenths : 12 = 0;  // 0: this node has not answered the fan
    std::uint64_t pending : 1 = 0;
  };
  static constexpr PlaceNumber kPerBlock = 4096;
  using Block = std::array<Seen, kPerBlock>;

  Seen& At(PlaceNumber number);

  std::unordered_map<PlaceNumber, std::unique_ptr<Block>> blocks_;
  std::map<std::int64_t, std::vector<PlaceNumber>> pending_;  // by the second in which to write the polls
  Sooner sooner_;
};

}  // namespace maejin::redis
