// The port of the waiting rooms. Every call is one whole transition, atomic and durable before it returns;
// the time is an argument; refusals are named and change nothing. Thread-safe.
//
// Every call that names a room may refuse with kRoomNotFound, every one that changes something with
// kUnavailable (the disk refuses: the outcome is unknown).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/waiting_room/place_token.h"
#include "domain/waiting_room/waiting_room.h"
#include "domain/words.h"

namespace maejin {

// Whose place: from a token that was checked (number and epoch), or by the user's name alone (number 0). An epoch that the
// room has not reached is no place; a store whose rooms can be lost takes it for the proof of a loss and brings the place back.
struct PlaceRef {
  RoomId room;
  UserId user;
  PlaceNumber number = 0;
  std::uint32_t epoch = 0;

  PlaceView view() const { return {room, user, number, epoch}; }
};

struct JoinRequest {
  RoomId room;
  UserId user;
  // The client's address, for the limit per address prefix; empty: not limited.
  std::string address = {};
};

// What a fan is told, with what the room tells everybody.
struct PlaceAnswer {
  Standing standing;
  std::uint32_t epoch = 0;
  RoomState state = RoomState::kOpen;
  // The operator's notice, or null. Shared: a poll copies no text.
  std::shared_ptr<const std::string> notice = {};
  // Join: the place is new.
  bool first = false;
  // How long a slot is kept without a sign of life, by the room's settings.
  Seconds token_ttl{0};
};

struct RoomInfo {
  RoomId room;
  std::uint32_t epoch = 0;
  RoomSettings settings;
  Serving serving;
  PlaceNumber last_number = 0;
  // Oldest first. A seed is a secret until its draw is drawn.
  std::vector<Draw> draws;
};

// How a room stands, and what happened in it since the process began: for metrics.
struct RoomStats {
  RoomId room;
  Serving serving;
  std::uint64_t arrivals = 0;    // new places
  std::uint64_t admissions = 0;  // slots taken
  std::uint64_t polls = 0;
  std::uint64_t no_shows = 0;                  // turns not taken, and slots whose fan never came
  std::array<std::uint64_t, kEndings> ends{};  // by Ending
};

class WaitingRoomStore {
 public:
  virtual ~WaitingRoomStore() = default;

  // Makes the room of a concert, or `main`, exist with its default settings; does nothing where it does.
  virtual Task<Outcome<Done>> EnsureRoom(RoomId room, Time now) = 0;

  // The fan's place, new at the end or the one it has. Refuses: kNotOpen, kRoomClosed, kTooManyRequests.
  virtual Task<Outcome<PlaceAnswer>> Join(JoinRequest request, Time now) = 0;

  // A sign of life and where the fan stands. Refuses: kNotQueued (no such place, or it has ended).
  virtual Task<Outcome<PlaceAnswer>> Poll(PlaceRef place, Time now) = 0;
  // The same without waiting and without allocating; absent where the store must wait: then call Poll().
  virtual std::optional<Outcome<PlaceAnswer>> PollAtOnce(const PlaceView& place, Time now) = 0;
  // The same without the sign of life: for streams that push to a fan who may be gone.
  virtual std::optional<Outcome<PlaceAnswer>> LookAtOnce(const PlaceView& place, Time now) = 0;
  // False: these two are always absent, and nothing need be prepared for them.
  virtual bool AnswersAtOnce() const { return true; }

  // Takes a slot; again: the same slot. Refuses: kNotQueued, kRoomClosed, kNotYourTurn.
  virtual Task<Outcome<PlaceAnswer>> Enter(PlaceRef place, Time now) = 0;

  // Gives the place or the slot back. What is not there is no error.
  virtual Task<Outcome<Done>> Leave(PlaceRef place, Time now) = 0;

  // Gives a fan's slot back after a payment where releaseOnPayment says so, exactly once; what is not held is
  // no error. Need not wait for the disk: a slot whose end is lost with the power ends at its deadline.
  virtual Task<Outcome<Done>> ReleaseAfterPayment(RoomId room, UserId user, Time now) = 0;

  // Is the fan inside? Renews nothing. Refuses: kNotQueued (no such place), kNotYourTurn (waits).
  virtual Task<Outcome<PlaceAnswer>> CheckInside(PlaceRef place, Time now) = 0;

  // The operator ends a fan's place or slot; `actor` is for the audit. Refuses: kNotQueued.
  virtual Task<Outcome<Done>> Revoke(RoomId room, UserId user, std::string actor, Time now) = 0;

  // Changes what the patch names, with an audit row. Refuses: kInvalidField.
  virtual Task<Outcome<RoomInfo>> Configure(RoomId room, RoomPatch patch, std::string actor, Time now) = 0;
  virtual Task<Outcome<RoomInfo>> Read(RoomId room, Time now) = 0;
  virtual Task<Outcome<Serving>> ReadServing(RoomId room, Time now) = 0;
  // Absent where the store must wait.
  virtual std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room, Time now) = 0;
  virtual std::vector<RoomId> Rooms() const = 0;
  // One of each room, as it stood at its last transition or tick. Where many nodes share the rooms, each counts what
  // happens on all of them, but only its own polls.
  virtual std::vector<RoomStats> Stats() const { return {}; }

  // Does what has become due in all rooms: expiries, phases, admissions. Called about every 100 ms by one
  // thread; costs next to nothing where nothing is due. Does not wait for the disk.
  virtual void Tick(Time now) = 0;
};

}  // namespace maejin
