// The passes that a site's verifier refuses although they have not expired.
#pragma once

#include <string>
#include <vector>

#include "usecase/room_context.h"

namespace maejin {

// The ids (`jti`) of passes of slots and of bypass stays that ended early, ascending. Refuses: kRoomNotFound,
// kUnavailable. Thread-safe.
Task<Outcome<std::vector<std::string>>> RevokedPasses(RoomContext context, RoomId room);

}  // namespace maejin
