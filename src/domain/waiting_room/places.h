// The places of one room: by number, and by user. 32 bytes a place in small blocks that are freed when all of
// their places have ended, and 4 to 11 bytes for the index by user. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/siphash.h"
#include "base/time.h"

namespace maejin {

// A place's public number: 1, 2, 3 … within its room, never used again. 0: none.
using PlaceNumber = std::uint32_t;
// A keyed hash of the user's id: the text itself stays in the token and in the database.
using UserKey = SipHash128Value;

struct Place {
  UserKey user{};
  // The last poll, in milliseconds since 1970.
  std::uint64_t seen_ms : 48 = 0;
  // Which of the place's timers counts; older ones are ignored when they fire.
  std::uint64_t timer_version : 16 = 0;
  // Where it stands in the line.
  std::uint32_t order = 0;
  // The pollAfterMs it was told, in tenths of a second.
  std::uint16_t poll_tenths = 0;
  bool living : 1 = false;
  bool entered : 1 = false;
  // Polled in time. An absent waiter is passed over.
  bool present : 1 = false;
  // Was told "ready" and let the turn pass: others do not wait for it, until it asks to enter.
  bool passed : 1 = false;

  Time seen() const { return TimeFromMillis(static_cast<std::int64_t>(seen_ms)); }
};
static_assert(sizeof(Place) == 32);

class Places {
 public:
  // The living place, or nullptr. Valid until it is removed.
  Place* Find(PlaceNumber number);
  const Place* Find(PlaceNumber number) const { return const_cast<Places*>(this)->Find(number); }
  // The living place of a user, or 0.
  PlaceNumber FindUser(const UserKey& user) const;

  // The user has no place yet; the number was never used.
  Place& Add(PlaceNumber number, const UserKey& user);
  void Remove(PlaceNumber number);

  std::size_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  static constexpr PlaceNumber kPerBlock = 128;
  static constexpr PlaceNumber kGone = UINT32_MAX;
  struct Block {
    std::array<Place, kPerBlock> places;
    std::uint32_t living = 0;
  };

  // The slot of the index that holds the user's number, or the empty one where the search ended.
  std::size_t Locate(const UserKey& user) const;
  void Rehash();

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<PlaceNumber> index_;  // open addressing by UserKey::low; 0: empty, kGone: was taken
  std::size_t taken_ = 0;           // slots of index_ that are not empty
  std::size_t size_ = 0;
};

}  // namespace maejin
