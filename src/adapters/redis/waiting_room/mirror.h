// A node's copy of one room's order: gives the rank of a waiter without Redis.
//
// A mirror is loaded from a RoomRecord and then follows the room's change log. An entry of the change log is
// one text line: "17 1794736800000 +5:3 >2 s4" is change 17 and its time. In it, places 5, 6 and 7 of the
// order joined, place 2 entered, and place 4 is not eligible.
//   +a  joined    ^a  put back in line    !a  put back inside    >a  entered
//   L P X A R  a place or slot ended: left, paid, expired, abandoned, revoked
//   sa  not eligible: absent, or its turn began    ta  let its turn pass    ca  eligible again
//   na  a fan never came to its slot
//   b0  read the room again
// ":n" after a place stands for n places in a row.
// Entries have numbers without gaps. The mirror skips a repeated entry. It reports an entry that is missing
// or out of order, and must then be loaded again. The count and the sum of the waiting places show whether
// the mirror still equals the room.
//
// After a loss, until every lost place is restored or has ended, the mirror counts the line as it was before
// the loss. So a restored place raises no rank. The mirror reports no rank until all nodes have merged what
// they knew of that line.
//
// Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/waiting_room/room_record.h"
#include "domain/waiting_room/draws.h"
#include "domain/waiting_room/outflow.h"

namespace maejin::redis {

class Mirror {
 public:
  // False: the record is older than the mirror.
  bool Load(const RoomRecord& record, Time now);
  // False: the entry is not the next one, and the room must be read again. Counts the changes in `stats`.
  bool Follow(std::string_view entry, RoomStats& stats);
  // Whether the mirror and the room have the same waiters, compared by count and sum at the same change.
  bool Fits(std::uint32_t waiting, std::uint32_t sum) const;

  bool loaded() const { return loaded_; }
  std::uint32_t epoch() const { return epoch_; }
  std::uint32_t changes() const { return changes_; }
  PlaceNumber last_number() const { return last_number_; }
  std::uint32_t waiting() const { return line_.Count(); }

  // Whether the place waits in Redis.
  bool Has(PlaceNumber number) const { return InRedis().Test(OrderOf(number)); }
  // Whether the mirror's line has the place. After a loss the place may not be restored in Redis yet.
  bool Counts(PlaceNumber number) const { return line_.Test(OrderOf(number)); }
  // Absent before the draw. After a loss: absent until the mirrors are merged, and if no mirror had the line
  // before the loss.
  std::optional<std::uint32_t> RankOf(PlaceNumber number, Time now);
  // Whether the place is eligible: present, without a running turn, and without a turn that passed unused.
  bool IsCounted(PlaceNumber number) const { return !skipped_.Test(OrderOf(number)); }
  // Whether the place cannot be ready: at least `capacity` eligible places are before it in Redis.
  bool IsFar(PlaceNumber number, std::uint32_t capacity) const {
    const auto order = OrderOf(number);
    return InRedis().Rank(order) - skipped_.Rank(order) >= capacity;
  }
  std::optional<Eta> UntilEntered(std::uint32_t rank, Time now) const {
    return outflow_.UntilEntered(std::uint64_t{rank} + 1, now);
  }
  // The line, for other nodes' mirrors after a loss. Bit k, highest bit of a byte first, is place k of
  // `range` places.
  struct Bits {
    std::uint32_t range = 0;
    std::string bytes;
  };
  Bits LineBits() const;
  Line::Index OrderOf(PlaceNumber number) const { return draws_.IndexOf(number); }
  std::size_t bytes() const { return line_.bytes() + skipped_.bytes() + (here_ ? here_->bytes() : 0); }

 private:
  const Line& InRedis() const { return here_ ? *here_ : line_; }
  void Settle(Time now);
  void PutBack(Line::Index order);
  void Leave(Line::Index order);
  bool Do(std::string_view word, Time at, RoomStats& stats);
  bool DoOne(char operation, Line::Index place, Time at, RoomStats& stats);

  bool loaded_ = false;
  std::uint32_t epoch_ = 0;
  std::uint32_t changes_ = 0;
  PlaceNumber last_number_ = 0;
  Line line_;     // by order: places that ranks count
  Line skipped_;  // by order: waiting and not eligible
  Outflow outflow_;
  Draws draws_;
  std::uint32_t sum_ = 0;  // sum of all orders in line, as the room stores it

  // After a loss only.
  std::optional<Line> here_;    // by order: places that wait in Redis
  Time settled_at_{};           // from this time on `here_` replaces `line_`
  Line::Index before_end_ = 0;  // the end of the line before the loss
  bool knows_before_ = false;   // a mirror had the line before the loss
  Time merged_at_{};            // before this time, other mirrors may still be merged
};

}  // namespace maejin::redis
