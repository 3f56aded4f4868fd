// The signs of life of far waiters, on their way to Redis: collected here and written together.
//
// A fan's sign is written at most once in the interval after which the fan is to ask again. Absence takes
// three of them, so the last poll is always written before it matters. Eight bytes a fan that this node has
// seen.
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
  // Signs of so many neighbouring numbers lie in one key (room:42:seen:0, …).
  static constexpr PlaceNumber kPerPage = 65'536;

  struct Sign {
    PlaceNumber number = 0;
    // Milliseconds * 1024 + the promised interval in tenths of a second.
    std::int64_t value = 0;
  };
  // Fans who may become absent sooner than Redis expects, and when to look at them.
  struct Sooner {
    Time look_at{};
    std::vector<std::string> users;
  };
  struct Batch {
    std::vector<Sign> signs;          // ascending by number
    std::map<Millis, Sooner> sooner;  // by interval
    bool empty() const { return signs.empty() && sooner.empty(); }
  };

  // The fan polled, and was told to ask again after `interval`.
  void Note(PlaceNumber number, std::string_view user, Time now, Millis interval);
  // The same where Redis knows of it: nothing is to be written.
  void NoteWritten(PlaceNumber number, Time now, Millis interval);
  // What is to be written by `now`.
  Batch Take(Time now);
  // It was not written.
  void Return(Batch batch, Time now);
  // Fans who were not heard of since then are forgotten.
  void Forget(Time before);

 private:
  struct Seen {
    std::uint64_t at_ms : 48 = 0;
    std::uint64_t tenths : 12 = 0;  // 0: not told by this node
    std::uint64_t pending : 1 = 0;
  };
  static constexpr PlaceNumber kPerBlock = 4096;
  using Block = std::array<Seen, kPerBlock>;

  Seen& At(PlaceNumber number);

  std::unordered_map<PlaceNumber, std::unique_ptr<Block>> blocks_;
  std::map<std::int64_t, std::vector<PlaceNumber>> pending_;  // by the second in which they are to be written
  std::map<Millis, Sooner> sooner_;
};

}  // namespace maejin::redis
