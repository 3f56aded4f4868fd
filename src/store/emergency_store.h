// The port of the emergency controls: bypasses of rooms, the fans that they let in, and the maintenance page.
//
// It belongs to the database of the bookings, so that a bypass works while the store of the rooms is away.
// Thread-safe. Every task may refuse with kUnavailable; a refused change may still have taken effect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/waiting_room/places.h"
#include "domain/words.h"
#include "store/operator.h"

namespace maejin {

// While a bypass lasts, the room accepts every fan: to enter, to hold seats, and at its gate.
struct Bypass {
  RoomId room;
  Time ends_at{};
  // The stays that begin in this bypass last this long.
  Seconds session_limit{0};

  friend bool operator==(const Bypass&, const Bypass&) = default;
};

// A fan inside a room without a slot, let in by a bypass.
struct Stay {
  RoomId room;
  UserId user;
  PlaceNumber number = 0;  // of the fan's place in line; 0: it has none
  Time entered_at{};
  Time ends_at{};

  friend bool operator==(const Stay&, const Stay&) = default;
};

// The end of a stay by an operator, for the audit log.
struct StayRevocation {
  Operator actor;
  std::string masked_user;
};

class EmergencyStore {
 public:
  virtual ~EmergencyStore() = default;

  // Begins a bypass, or changes its end, with an audit row.
  virtual Task<Outcome<Done>> StartBypass(Bypass bypass, Operator actor) = 0;
  // Ends a bypass, with an audit row. False: none was in force, and nothing changes. Stays go on.
  virtual Task<Outcome<bool>> EndBypass(RoomId room, Operator actor) = 0;
  // Shows the maintenance page or ends it, with an audit row. False: nothing changed.
  virtual Task<Outcome<bool>> SetMaintenance(bool on, Operator actor) = 0;

  // Returns the fan's stay if one lasts at `stay.entered_at`; otherwise begins `stay`. The stay is durable
  // when this returns.
  virtual Task<Outcome<Stay>> LetIn(Stay stay) = 0;
  // Absent: no bypass has let the fan in, or the stay has ended.
  virtual Task<Outcome<std::optional<Stay>>> FindStay(RoomId room, UserId user, Time now) = 0;
  // False: there was no stay, and nothing changes.
  virtual Task<Outcome<bool>> EndStay(RoomId room, UserId user, std::optional<StayRevocation> revocation,
                                      Time now) = 0;
  // The stays that ended early and whose passes have not expired, in any order. Sites refuse these passes.
  virtual Task<Outcome<std::vector<Stay>>> EndedStays(RoomId room, Time now) = 0;

  // Removes the bypass and the stays of a deleted room, or the stays of an erased user.
  virtual Task<Outcome<Done>> ForgetRoom(RoomId room) = 0;
  virtual Task<Outcome<Done>> ForgetUser(UserId user) = 0;
  // Removes bypasses and stays whose end has passed. Called about every minute; an error is ignored.
  virtual void Prune(Time now) = 0;

  // The functions below never wait. Where nodes share the store, changes of other nodes are visible within
  // two seconds; during an outage of the database the last known state is valid.
  //
  // False: no bypass is in force, no stay lasts, and there is no maintenance.
  virtual bool InUse(Time now) const = 0;
  virtual std::optional<Bypass> BypassAtOnce(std::string_view room, Time now) const = 0;
  // When the maintenance began; absent: there is none.
  virtual std::optional<Time> MaintenanceAtOnce() const = 0;
  // How many stays last in this room.
  virtual std::uint32_t CountStays(std::string_view room, Time now) const = 0;
};

// The audit row's detail: {"minutes":10,"until":"…"}
std::string Describe(const Bypass& bypass, Time now);

}  // namespace maejin
