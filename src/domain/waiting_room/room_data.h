// The state of one waiting room, and the steps that change it. WaitingRoom is the only caller: it orders the
// steps by time and phase.
//
// Invariants: slots.size() ≤ capacity at every admission; a place has a slot exactly while it is in `slots`;
// a place is in `waiting` or in `slots`, never in both; numbers grow by one.
//
// Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/timer_wheel.h"
#include "domain/waiting_room/draws.h"
#include "domain/waiting_room/entry_rate.h"
#include "domain/waiting_room/line.h"
#include "domain/waiting_room/outflow.h"
#include "domain/waiting_room/places.h"
#include "domain/waiting_room/room_change.h"
#include "domain/waiting_room/settings.h"
#include "domain/waiting_room/standing.h"

namespace maejin {

struct RoomSlot {
  Time entered_at{};
  Time renewed_at{};
  Millis paused{0};      // pauses of the process while the fan was inside
  bool arrived = false;  // the fan was seen inside
  // The latest end of a pass that was given before the session limit was lowered. Time{}: it was not.
  Time earlier_pass_ends_at{};
};

// A place as a store has it.
struct RestoredPlace {
  PlaceNumber number = 0;
  UserKey user;
  std::optional<Time> entered_at = {};
  std::optional<Time> earlier_pass_ends_at = {};  // see RoomSlot
};

struct RoomTimer {
  enum class Kind : std::uint8_t { kPlace, kTurn };
  PlaceNumber number;
  std::uint16_t version;
  Kind kind;
};

struct RoomData {
  RoomSettings settings;
  RoomState state = RoomState::kOpen;
  PlaceNumber last_number = 0;
  PlaceNumber serving = 0;  // the number admitted last
  bool has_seats = true;    // false: no place is made ready or admitted
  Places places;
  Line waiting = {};  // by index in the line: the place waits
  // By index in the line: the place waits, is present, has no turn, and let no turn pass unused.
  Line eligible = {};
  std::unordered_map<PlaceNumber, RoomSlot> slots = {};
  std::unordered_map<PlaceNumber, Time> turns = {};  // when the turn of a place passes
  std::vector<PlaceNumber> due_turns = {};           // turns whose timer fired; empty between calls
  TimerWheel<RoomTimer> timers;
  Outflow outflow;
  Draws draws;
  EntryRate rate = {};
  std::uint64_t turns_passed = 0;
  Time next_fill_at{};  // push: no waiter is admitted before this time
  Time seen_floor{};    // every place counts as seen at this time or later
  Time due = Time::max();
  std::vector<RoomChange> changes = {};
};

namespace room {

// The living place with this number, if it belongs to this user; else nullptr.
inline Place* FindOwned(RoomData& room, PlaceNumber number, const UserKey& user) {
  Place* place = room.places.Find(number);
  return place && place->user == user ? place : nullptr;
}
inline const Place* FindOwned(const RoomData& room, PlaceNumber number, const UserKey& user) {
  const Place* place = room.places.Find(number);
  return place && place->user == user ? place : nullptr;
}

// Reading.
Time SlotEndsAt(const RoomData& room, const RoomSlot& slot);
// How many fans may enter now: the number of free slots, limited by the rate. Fans whose turn runs are
// included.
std::uint32_t Allowed(const RoomData& room, Time now);
// A place is ready while its turn runs, also if the room is paused. If more fans may enter than turns run,
// other places become ready: eligible places from the front, then places that let a turn pass.
bool IsReady(const RoomData& room, const Place& place, Time now);
// Whether a fan may be about to enter, so that credit accrues for a whole turn: a place is eligible, or a
// turn runs of a place that let no turn pass.
bool AccruesForTurn(const RoomData& room);
Standing StandingOf(const RoomData& room, const Place& place, PlaceNumber number, Time now);
// The first instant at which a timer, a phase or an admission is due.
Time NextDue(const RoomData& room);

// Places.
void AddPlace(RoomData& room, const UserKey& user, Time now);
void RestorePlace(RoomData& room, const RestoredPlace& restored, Time now);
// Call before the session limit is lowered from `limit`: passes that were given so far are valid for it.
void KeepPassEnds(RoomData& room, Seconds limit);
// Records a request of the fan: renews presence or the slot.
void MarkSeen(RoomData& room, Place& place, PlaceNumber number, Time now);
// The standing for an answer. Records the poll interval of the answer, and starts the turn of a ready place.
Standing AnswerStanding(RoomData& room, Place& place, PlaceNumber number, Time now);
// Makes a place eligible again after its turn passed.
void ReturnTurn(RoomData& room, Place& place, Time now);
void EndPlace(RoomData& room, PlaceNumber number, Ending ending, Time now);

// Admission.
void Admit(RoomData& room, PlaceNumber number, Time now);
// Push mode: admits eligible places from the front while slots and rate allow it.
void Fill(RoomData& room, Time now);

// Time.
// Every turn and slot lasts longer by `by`.
void ExtendDeadlines(RoomData& room, Millis by);
// Ends places and slots that have expired, then ends the turns that are due.
void FireTimers(RoomData& room, Time now);
// Arms the timer of every place again, because deadlines became earlier.
void RearmAll(RoomData& room);

// The whole line.
// Fixes the order of the pre-queue that began last, and moves its places to it.
void DrawOrder(RoomData& room);
// Ends every turn that runs, as if it had not been given.
void EndTurns(RoomData& room);
// Calls EndTurns(), and forgets which places let a turn pass.
void ClearTurns(RoomData& room);

}  // namespace room
}  // namespace maejin
