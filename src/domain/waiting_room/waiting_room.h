// One waiting room: who waits, who is ready, who is inside. Decides every transition; knows no clock, no disk
// and no user's name (docs/waiting-room.md tells the rules in words).
//
// Every call takes the time and first does what has become due until then, so that an answer never depends on
// when a ticker ran. What a call changed for good is left in changes(): the store writes it down and clears
// it.
//
// Invariants: entered() ≤ capacity at every admission; a slot is counted by being in slots_, nothing else; a
// place is in the line or inside or nowhere; numbers grow by one.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "base/timer_wheel.h"
#include "domain/refusal.h"
#include "domain/waiting_room/line.h"
#include "domain/waiting_room/outflow.h"
#include "domain/waiting_room/places.h"
#include "domain/waiting_room/settings.h"
#include "domain/waiting_room/shuffle.h"

namespace maejin {

enum class PlaceStatus : std::uint8_t { kWaiting, kReady, kEntered };
std::string_view Name(PlaceStatus status);

// What a fan is told.
struct Standing {
  PlaceStatus status = PlaceStatus::kWaiting;
  PlaceNumber number = 0;
  // Living places before this one; 0 once entered. Absent in the pre-queue: there is no order yet.
  std::optional<std::uint32_t> rank = {};
  // When to ask again: a little before `poll_interval`, different for everybody.
  Millis poll_after{0};
  Millis poll_interval{0};
  std::optional<Eta> eta = {};
  // Entered: when the slot ends unless a poll renews it. Ready: when the turn passes. Else absent.
  std::optional<Time> ends_at = {};
  // Entered: when the slot ends in any case, and when it began.
  Time entered_at{};
  Time session_ends_at{};
};
// Says when a fan of this status, number and rank is to ask again.
void Pace(Standing& standing, RoomState state, const RoomSettings& settings, Time now);
// The same where the interval is known.
void Pace(Standing& standing, Millis interval, Time now);
// When the slot of a fan ends that entered and was seen last at these times.
Time SlotEndsAt(Time entered_at, Time seen_at, const RoomSettings& settings);
Standing StandingInside(PlaceNumber number, Time entered_at, Time seen_at, RoomState state,
                        const RoomSettings& settings, Time now);

// Why a place or slot ended.
enum class Ending : std::uint8_t { kLeft, kPaid, kExpired, kAbandoned, kRevoked };
inline constexpr std::size_t kEndings = 5;
std::string_view Name(Ending ending);

struct RoomChange {
  enum class Kind : std::uint8_t { kJoined, kEntered, kEnded, kRoom };
  Kind kind = Kind::kRoom;
  PlaceNumber number = 0;  // not for kRoom
  Time at{};
  Ending ending = Ending::kLeft;  // kEnded
  bool was_inside = false;        // kEnded
  bool no_show = false;           // kEnded: was let in, and never came
};

// One draw: the numbers first … first + count - 1 were taken in one pre-queue.
struct Draw {
  PlaceNumber first = 1;
  std::uint32_t count = 0;  // 0 until the opening
  ShuffleSeed seed{};
  std::string commitment;
  std::string order_digest;  // empty until the opening
  bool drawn() const { return !order_digest.empty(); }
};

// What everybody may know of a room.
struct Serving {
  PlaceNumber serving = 0;  // the number admitted last
  std::uint32_t waiting = 0;
  std::uint32_t entered = 0;
  std::uint32_t capacity = 0;
  RoomState state = RoomState::kOpen;
  friend bool operator==(const Serving&, const Serving&) = default;
};

class WaitingRoom {
 public:
  // `random` draws the shuffle seeds and outlives the room.
  WaitingRoom(RoomSettings settings, RoomState state, Random& random);

  // The fan's place: the one it has, or a new one at the end. Push: inside at once if nobody waits and a slot
  // is free. Refuses: kNotOpen (scheduled), kRoomClosed (closed, draining). Joining is a sign of life, as a
  // poll is.
  struct Joined {
    Standing standing;
    bool first = false;
  };
  Outcome<Joined> Join(const UserKey& user, Time now);

  // The living place of a user, or 0.
  PlaceNumber Find(const UserKey& user) const { return places_.FindUser(user); }

  // A sign of life. Renews presence, or the slot's TTL. Refuses: kNotQueued (ended, or not this user's).
  Outcome<Standing> Poll(PlaceNumber number, const UserKey& user, Time now);
  // The same look without the sign of life: for streams. Refuses: kNotQueued.
  Outcome<Standing> Look(PlaceNumber number, const UserKey& user, Time now) const;

  // Takes a slot. Inside already: the same slot again. Refuses: kNotQueued, kRoomClosed, kNotYourTurn.
  Outcome<Done> Enter(PlaceNumber number, const UserKey& user, Time now);

  // Ends the place or slot; false where there is none.
  bool End(PlaceNumber number, const UserKey& user, Ending ending, Time now);

  // Is this fan inside? Changes nothing and renews nothing.
  bool IsInside(PlaceNumber number, const UserKey& user, Time now) const;

  // Refuses: kInvalidField (state: not after the present one).
  Outcome<Done> Configure(const RoomPatch& patch, Time now);

  // Does everything that has become due: expiries, phases, admissions.
  void Advance(Time now);
  // Nothing happens by itself before this instant.
  Time NextDue() const { return due_; }
  // The server could not be reached until `now` (a restart, a stopped process): everybody counts as seen now.
  void Excuse(Time now) { seen_floor_ = now; }

  Serving Summary() const;
  const RoomSettings& settings() const { return settings_; }
  RoomState state() const { return state_; }
  PlaceNumber last_number() const { return last_number_; }
  PlaceNumber serving() const { return serving_; }
  // Turns that were told and not taken, since the object was made.
  std::uint64_t turns_passed() const { return turns_passed_; }
  std::uint32_t entered() const { return static_cast<std::uint32_t>(slots_.size()); }
  const std::vector<Draw>& draws() const { return draws_; }
  std::size_t bytes() const;

  std::vector<RoomChange>& changes() { return changes_; }

  // Loading from a store: the room first, then its places in the order of their numbers.
  void Restore(PlaceNumber last_number, PlaceNumber serving, std::vector<Draw> draws);
  void RestorePlace(PlaceNumber number, const UserKey& user, std::optional<Time> entered_at, Time now);

 private:
  struct Slot {
    Time entered_at{};
    Time renewed_at{};
    bool arrived = false;  // the fan was seen inside
  };
  struct Timer {
    enum class Kind : std::uint8_t { kPlace, kTurn };
    PlaceNumber number;
    std::uint16_t version;
    Kind kind;
  };

  // Deadlines, computed from the settings of the moment.
  Time AbsentAt(const Place& place) const;
  Time GraceEndsAt(const Place& place) const;
  Time SlotEndsAt(const Slot& slot) const;
  Time SeenAt(const Slot& slot) const { return std::max(slot.renewed_at, seen_floor_); }

  static constexpr std::uint64_t kSeenMask = (std::uint64_t{1} << 48) - 1;
  static constexpr std::uint16_t kRestoredPollTenths = 200;
  static std::uint16_t TenthsOf(Millis poll_after) {
    return static_cast<std::uint16_t>((poll_after.count() + 99) / 100);
  }

  std::uint32_t FreeSlots() const;
  // How many may enter now: free slots, within the rate.
  std::uint32_t Allowed(Time now) const;
  std::int64_t Credit(Time now) const;
  // When the rate allows one more entry.
  Time NextCreditAt() const;
  void SettleCredit(Time now);
  bool IsReady(const Place& place, Time now) const;
  Standing StandingOf(const Place& place, PlaceNumber number, Time now) const;
  Standing StandingInside(PlaceNumber number, const Slot& slot, Time now) const;

  Place* Own(PlaceNumber number, const UserKey& user);
  const Place* Own(PlaceNumber number, const UserKey& user) const;
  Standing Tell(Place& place, PlaceNumber number, Time now);
  void MarkSeen(Place& place, PlaceNumber number, Time now);
  void Recount(const Place& place);
  void ArmPlace(Place& place, PlaceNumber number, Time at);
  void Invite(PlaceNumber number, Time now);

  void Fire(const Timer& timer, Time now);
  void FirePlace(Place& place, PlaceNumber number, Time now);
  void FireSlot(Place& place, PlaceNumber number, Time now);
  void PassTurns(Time now);
  void ForgetTurns();

  void Admit(PlaceNumber number, Time now);
  void Fill(Time now);
  void EndPlace(PlaceNumber number, Ending ending, Time now);
  PlaceNumber NumberAt(Line::Index order) const;

  void StepPhases(Time now);
  void GoTo(RoomState state, Time now);
  void BeginPreQueue();
  void DrawOrder();
  void RearmAll();
  Time ComputeDue() const;
  void Changed(RoomChange::Kind kind, PlaceNumber number, Time now);

  RoomSettings settings_;
  RoomState state_;
  Random* random_;
  PlaceNumber last_number_ = 0;
  PlaceNumber serving_ = 0;
  Places places_;
  Line waiting_;  // by order: waits
  Line counted_;  // by order: waits, is present and did not let a turn pass: those whom others wait for
  std::unordered_map<PlaceNumber, Slot> slots_;  // who is inside
  std::unordered_map<PlaceNumber, Time> turns_;  // told "ready": until when the turn is theirs
  std::vector<PlaceNumber> due_turns_;           // empty between calls
  TimerWheel<Timer> timers_;
  Outflow outflow_;
  std::vector<Draw> draws_;
  struct DrawnOrder {
    PlaceNumber first;
    Shuffle shuffle;
  };
  std::vector<DrawnOrder> shuffles_;  // of the draws that were drawn
  // The rate's allowance.
  std::int64_t credit_ = 0;
  Time credit_at_{};
  // Pushed in under the rate and never seen inside: as many more may follow.
  std::uint32_t no_shows_ = 0;
  std::uint64_t turns_passed_ = 0;
  Time next_fill_at_{};
  Time seen_floor_{};
  Time due_ = Time::max();
  std::vector<RoomChange> changes_;
};

}  // namespace maejin
