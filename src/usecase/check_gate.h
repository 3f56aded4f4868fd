// Decides whether a shop's gateway lets a request through. The gateway asks for every request of the shop. A
// request that is let through renews the fan's slot, as a poll does.
#pragma once

#include <memory>

#include "domain/waiting_room/pass.h"
#include "usecase/pass_cache.h"
#include "usecase/room_context.h"

namespace maejin {

struct GateQuestion {
  // The room that the fan must be inside; empty: the room that the pass or token names.
  RoomId room = {};
  // The pass (a JWT), or the queue token; the pass takes precedence.
  std::string pass = {};
  std::string token = {};
  // The user that the gateway authenticated, if any; must be the holder of the pass or token.
  std::optional<UserId> user = {};
};

enum class GateDecision : std::uint8_t {
  kPass,
  kNoProof,      // no valid pass or token, or the admission behind the pass was lost in a restore
  kNotInside,    // the pass or token is valid, and its holder is not inside the room (any more)
  kUnavailable,  // not decided
};

struct GateVerdict {
  GateDecision decision = GateDecision::kNoProof;
  // "ok", "bypass", "none", "invalid", "expired", "other-room", "other-user", "not-inside", "unavailable"
  std::string_view reason = "none";
  // True: a bypass lets in a visitor without a valid pass or token of the room. This visitor has no stay.
  bool unknown = false;
};

// Thread-safe.
class CheckGate {
 public:
  explicit CheckGate(RoomContext context) : context_(context), passes_(std::make_unique<PassCache>()) {}
  // Never refuses: a store that does not answer is kUnavailable.
  Task<GateVerdict> operator()(GateQuestion question) const;

  // Whether the holder of a pass that this node has seen before is inside the room. False: not decided.
  // Without waiting and without allocation.
  bool AdmitsAtOnce(std::string_view room, std::string_view pass) const;

 private:
  struct Decided {
    GateVerdict verdict;
    std::optional<PlaceRef> place = {};  // the visitor's, by its pass or token
  };
  Task<Decided> Decide(GateQuestion question, Time now) const;
  // The verdict on a visitor without a slot, which a bypass may let in.
  Task<GateVerdict> PassByBypass(RoomId room, Decided decided, Time now) const;

  RoomContext context_;
  std::unique_ptr<PassCache> passes_;
};

}  // namespace maejin
