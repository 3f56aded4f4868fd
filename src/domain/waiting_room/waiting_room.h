// One waiting room over time. Decides every transition; has no clock, no disk and no user's name
// (docs/waiting-room.md explains the rules).
//
// Every call takes the time and first does what is due by then, so that an answer does not depend on how
// often Advance() is called. changes() collects the durable changes of a call: the store writes and clears
// them.
//
// Invariants: see room_data.h. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "domain/refusal.h"
#include "domain/waiting_room/room_data.h"

namespace maejin {

// The public summary of a room.
struct Serving {
  PlaceNumber serving = 0;  // the number admitted last
  std::uint32_t waiting = 0;
  std::uint32_t entered = 0;
  std::uint32_t capacity = 0;
  RoomState state = RoomState::kOpen;
  PreQueueOrder order = PreQueueOrder::kDraw;
  // Fans inside without a slot, let in by a bypass; the store of the rooms does not know them.
  std::uint32_t bypassed = 0;
  friend bool operator==(const Serving&, const Serving&) = default;
};

class WaitingRoom {
 public:
  // `random` draws the shuffle seeds and outlives the room.
  WaitingRoom(RoomSettings settings, RoomState state, Random& random);

  // Returns the user's living place, and counts the call as a poll; or adds a new place at the end of the
  // line. Push: the new place is admitted at once if no other place waits, and a slot and the rate allow it.
  // Refuses: kNotOpen (scheduled), kRoomClosed (closed, draining).
  struct Joined {
    Standing standing;
    bool first = false;  // the place is new
  };
  Outcome<Joined> Join(const UserKey& user, Time now);

  // The living place of a user, or 0.
  PlaceNumber Find(const UserKey& user) const { return room_.places.FindUser(user); }

  // Renews presence, or the slot's TTL. Refuses: kNotQueued (ended, or another user's).
  Outcome<Standing> Poll(PlaceNumber number, const UserKey& user, Time now);
  // The standing without a renewal: for streams. Refuses: kNotQueued.
  Outcome<Standing> Look(PlaceNumber number, const UserKey& user, Time now) const;

  // Takes a slot; idempotent. Refuses: kNotQueued, kRoomClosed, kSoldOut (no seat), kNotYourTurn.
  Outcome<Done> Enter(PlaceNumber number, const UserKey& user, Time now);

  // Ends the place or slot; false where there is none.
  bool End(PlaceNumber number, const UserKey& user, Ending ending, Time now);

  // Whether the place has a slot at `now`. Renews nothing.
  bool IsInside(PlaceNumber number, const UserKey& user, Time now) const;

  // Refuses: kInvalidField (the state cannot follow the present one).
  Outcome<Done> Configure(RoomPatch patch, Time now);

  // `has_seats`: the concert has an AVAILABLE seat. Without one, no place becomes ready or is admitted, and
  // all turns end. The places whose turns ended are the first again when a seat returns.
  void SetSeats(bool has_seats, Time now);

  // Does everything that is due: expiries, phases, admissions.
  void Advance(Time now);
  // Nothing is due before this instant.
  Time NextDue() const { return room_.due; }
  // Call after a pause of the process or an outage of the disk: counts every place and slot as seen at `now`.
  // Turns and slots are extended by the pause, because no fan could use them.
  void ResetPresence(Time now, Millis paused = Millis{0}) {
    room_.seen_floor = now;
    if (paused > Millis{0}) room::ExtendDeadlines(room_, paused);
  }

  Serving Summary() const;
  const RoomSettings& settings() const { return room_.settings; }
  RoomState state() const { return room_.state; }
  PlaceNumber last_number() const { return room_.last_number; }
  PlaceNumber serving() const { return room_.serving; }
  // Turns that passed unused since the object was made.
  std::uint64_t turns_passed() const { return room_.turns_passed; }
  const std::vector<Draw>& draws() const { return room_.draws.all(); }
  std::size_t bytes() const;

  std::vector<RoomChange>& changes() { return room_.changes; }

  // Loading from a store: the room first, then its places in the order of their numbers.
  void Restore(PlaceNumber last_number, PlaceNumber serving, std::vector<Draw> draws);
  void RestorePlace(const RestoredPlace& place, Time now) { room::RestorePlace(room_, place, now); }

 private:
  void ChangePhase(RoomState state, Time now);

  RoomData room_;
  Random* random_;
};

}  // namespace maejin
