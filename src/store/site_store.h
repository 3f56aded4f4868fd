// The port of rooms that stand in front of sites: rooms of the operator's own, their settings towards sites,
// return codes and revoked passes. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/waiting_room/settings.h"
#include "domain/words.h"

namespace maejin {

// A pass that is no longer valid, although its `exp` is to come.
struct Revocation {
  std::string jti;
  Time expires_at;

  friend bool operator==(const Revocation&, const Revocation&) = default;
};

class SiteStore {
 public:
  virtual ~SiteStore() = default;

  // Creates the room with the default settings and these changes, with an audit row. To begin a pre-queue,
  // call Configure() afterwards. Precondition: IsOwnRoom(room). Refuses: kRoomExists, kUnavailable.
  virtual Task<Outcome<Done>> CreateRoom(RoomId room, RoomPatch patch, std::string actor, Time now) = 0;
  // Ends all places and slots of the room and removes it, with an audit row. Its tokens and passes are not
  // valid in a later room of the same name. Precondition: IsOwnRoom(room). Refuses: kRoomNotFound,
  // kUnavailable.
  virtual Task<Outcome<Done>> DeleteRoom(RoomId room, std::string actor, Time now) = 0;

  // The room's settings towards sites, at most seconds old where several nodes share rooms. Null: this node
  // does not know the room; WaitingRoomStore::Read() finds out whether it exists.
  virtual std::shared_ptr<const SiteSettings> SiteAtOnce(std::string_view room) = 0;

  // Marks a return code as used. True: this call, among all nodes, is the first one with this code. The store
  // remembers the code until `expires_at`. Refuses: kUnavailable.
  virtual Task<Outcome<bool>> UseCode(Id128 code, Time expires_at, Time now) = 0;

  // True for one of the nodes that share the room, once in `length`: that node steps the floating rate.
  // Refuses: kUnavailable.
  virtual Task<Outcome<bool>> TakeFloatLease(RoomId room, Millis length, Time now) = 0;

  // Passes of slots that ended early, while their `exp` is to come, ascending by jti. Where the site verifies
  // online, only the passes that an operator revoked are certain to be listed. Refuses: kRoomNotFound,
  // kUnavailable.
  virtual Task<Outcome<std::vector<Revocation>>> Revocations(RoomId room, Time now) = 0;
};

}  // namespace maejin
