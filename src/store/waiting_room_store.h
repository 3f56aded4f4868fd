// The port of the waiting rooms. Every call is one transition, atomic and durable when it returns. A refusal
// changes nothing. Thread-safe.
//
// Every call with a room may refuse with kRoomNotFound and kUnavailable (the store failed: the outcome of a
// write is unknown).
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
#include "domain/waiting_room/room_tally.h"
#include "domain/waiting_room/waiting_room.h"
#include "domain/words.h"
#include "store/site_store.h"

namespace maejin {

// A reference to a place: from a verified token (number and epoch), or by the user alone (number 0). The
// epoch of a place is at most that of its room. A token with a higher epoch than the room proves a loss: a
// store whose rooms can be lost then restores the place.
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

// A fan's standing, with the state of the room.
struct PlaceAnswer {
  Standing standing;
  std::uint32_t epoch = 0;
  RoomState state = RoomState::kOpen;
  // The operator's notice, or null. Shared, so that a poll copies no text.
  std::shared_ptr<const std::string> notice = {};
  // Join: the place is new.
  bool first = false;
  // How long a slot is kept after the holder was last seen, by the room's settings.
  Seconds token_ttl{0};
};

struct RoomInfo {
  RoomId room;
  std::uint32_t epoch = 0;
  RoomSettings settings;
  Serving serving;
  PlaceNumber last_number = 0;
  // Oldest first. A seed is secret until its draw.
  std::vector<Draw> draws;
};

// A room's current numbers and its counts since the start of the process, for metrics.
struct RoomStats {
  RoomId room;
  Serving serving;
  std::uint64_t arrivals = 0;    // new places
  std::uint64_t admissions = 0;  // slots taken
  std::uint64_t polls = 0;
  std::uint64_t no_shows = 0;                  // turns not taken, and slots never used
  std::array<std::uint64_t, kEndings> ends{};  // by Ending
};

// Ends the place or slot of a fan.
struct RevokeRequest {
  RoomId room;
  UserId user;
  std::string masked_user;  // the text that the audit log stores instead of the user
  std::string actor;        // for the audit log
};

class WaitingRoomStore {
 public:
  virtual ~WaitingRoomStore() = default;

  // Creates the room of a concert, or `main`, with default settings, unless it exists.
  virtual Task<Outcome<Done>> EnsureRoom(RoomId room, Time now, RoomState state = RoomState::kOpen) = 0;

  // Returns the fan's place, or adds one at the end of the line. Refuses: kNotOpen, kRoomClosed,
  // kTooManyRequests.
  virtual Task<Outcome<PlaceAnswer>> Join(JoinRequest request, Time now) = 0;

  // Returns the fan's standing and updates last seen. Refuses: kNotQueued (no such place, or it has ended).
  virtual Task<Outcome<PlaceAnswer>> Poll(PlaceRef place, Time now) = 0;
  // Poll() without waiting and without allocating. Absent: the store must wait; call Poll().
  virtual std::optional<Outcome<PlaceAnswer>> PollAtOnce(const PlaceView& place, Time now) = 0;
  // PollAtOnce() without updating last seen: for streams, where the fan may be gone.
  virtual std::optional<Outcome<PlaceAnswer>> PeekAtOnce(const PlaceView& place, Time now) = 0;
  // False: PollAtOnce() and PeekAtOnce() are always absent.
  virtual bool AnswersAtOnce() const { return true; }

  // Takes a slot; a repeated call returns the same slot. Refuses: kNotQueued, kRoomClosed, kSoldOut (no
  // AVAILABLE seat), kNotYourTurn.
  virtual Task<Outcome<PlaceAnswer>> Enter(PlaceRef place, Time now) = 0;

  // Ends the place or the slot. A missing one is no error.
  virtual Task<Outcome<Done>> Leave(PlaceRef place, Time now) = 0;

  // Returns when the admission log has every admission and end of the room so far. Refuses: kRoomNotFound.
  virtual Task<Outcome<Done>> RecordAdmissions(RoomId room, Time now) {
    static_cast<void>(room);
    static_cast<void>(now);
    co_return Done{};  // a store without an admission log
  }

  // Ends a fan's slot after a payment if releaseOnPayment is set; a missing slot is no error. Need not wait
  // for the disk: if the end is lost in a crash, the slot ends at its deadline.
  virtual Task<Outcome<Done>> ReleaseAfterPayment(RoomId room, UserId user, Time now) = 0;

  // Succeeds if the fan holds a slot; renews nothing. Refuses: kNotQueued (no such place), kNotYourTurn
  // (waits).
  virtual Task<Outcome<PlaceAnswer>> CheckInside(PlaceRef place, Time now) = 0;

  // Ends a fan's place or slot for the operator. Refuses: kNotQueued.
  virtual Task<Outcome<Done>> Revoke(RevokeRequest request, Time now) = 0;

  // Changes the settings in the patch, with an audit row. A patch with `follow` has no audit row, and changes
  // nothing if the room already follows this version of the concert or a newer one. Refuses: kInvalidField.
  virtual Task<Outcome<RoomInfo>> Configure(RoomId room, RoomPatch patch, std::string actor, Time now) = 0;
  // Sets whether the concert of the room has an AVAILABLE seat. Without one no place becomes ready or is
  // admitted, and turns end. Called about ten times a second; need not be durable. An unknown room is no
  // error.
  virtual void SetSeats(RoomId room, bool has_seats, Time now) = 0;
  virtual Task<Outcome<RoomInfo>> Read(RoomId room, Time now) = 0;
  virtual Task<Outcome<Serving>> ReadServing(RoomId room, Time now) = 0;
  // Absent where the store must wait.
  virtual std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room, Time now) = 0;
  virtual std::vector<RoomId> Rooms() const = 0;
  // One element per room, as of its last transition or tick. Nodes that share rooms each count the
  // transitions of all nodes, but only their own polls.
  virtual std::vector<RoomStats> Stats() const { return {}; }
  // The counts of one room since it was created, across restarts.
  virtual Task<Outcome<RoomTally>> ReadTally(RoomId room, Time now) = 0;

  // The settings of rooms towards sites; lives as long as the store.
  virtual SiteStore& sites() = 0;

  // Runs all due work of all rooms: expiries, phases, admissions. Called about every 100 ms by one thread.
  // Cheap where nothing is due; does not wait for the disk.
  virtual void Tick(Time now) = 0;
};

}  // namespace maejin
