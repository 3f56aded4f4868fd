// The places of one room, by number and by user. A place takes 32 bytes in a block, and some 5 to 11 bytes in
// the index by user. A block is freed when all of its places have ended. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/siphash.h"
#include "base/time.h"

namespace maejin {

// A place's public number: 1, 2, 3 … within its room, never reused. 0: none.
using PlaceNumber = std::uint32_t;
// A keyed hash of the user's id: the text itself stays in the token and in the database.
using UserKey = SipHash128Value;

struct Place {
  UserKey user{};
  // The fan's last request, in milliseconds since 1970.
  std::uint64_t seen_ms : 48 = 0;
  // The version of the newest timer; older timers are stale and do nothing.
  std::uint64_t timer_version : 16 = 0;
  // The index in the line.
  std::uint32_t order = 0;
  // The poll interval of its last answer, in tenths of a second.
  std::uint16_t poll_tenths = 0;
  bool living : 1 = false;
  bool entered : 1 = false;
  // The waiter polled in time. An absent waiter is not admitted.
  bool present : 1 = false;
  // Its turn passed unused. Not eligible until the fan calls enter or returns from absence.
  bool passed : 1 = false;
  // Its turn runs: an answer said "ready", and a slot is reserved for it.
  bool turn : 1 = false;

  Time seen() const { return TimeFromMillis(static_cast<std::int64_t>(seen_ms)); }
  void SetSeen(Time now) { seen_ms = static_cast<std::uint64_t>(ToMillis(now)) & kSeenMask; }

  static constexpr std::uint64_t kSeenMask = (std::uint64_t{1} << 48) - 1;
};
static_assert(sizeof(Place) == 32);

class Places {
 public:
  // The living place, or nullptr. Valid until it is removed.
  Place* Find(PlaceNumber number);
  const Place* Find(PlaceNumber number) const { return const_cast<Places*>(this)->Find(number); }
  // The living place of a user, or 0.
  PlaceNumber FindUser(const UserKey& user) const;

  // Precondition: the user has no living place, and the number was never used.
  Place& Add(PlaceNumber number, const UserKey& user);
  void Remove(PlaceNumber number);

  std::size_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  static constexpr PlaceNumber kPerBlock = 128;
  static constexpr PlaceNumber kTombstone = UINT32_MAX;
  struct Block {
    std::array<Place, kPerBlock> places;
    std::uint32_t living = 0;
  };

  // The entry of the index with the user's number, or the empty entry where the search ended.
  std::size_t Locate(const UserKey& user) const;
  void Rehash();

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<PlaceNumber> index_;  // open addressing by UserKey::low; 0: empty
  std::size_t taken_ = 0;           // entries of index_ that are not empty, tombstones included
  std::size_t size_ = 0;
};

}  // namespace maejin
