// The events of a waiting room's phases.
#pragma once

#include <vector>

#include "domain/event.h"
#include "domain/waiting_room/settings.h"
#include "domain/words.h"
#include "store/admission_log.h"

namespace maejin {

// room.opened, room.paused, room.closed; nothing for the phases before the opening.
void AppendRoomEvent(std::vector<EventDraft>& out, const RoomId& room, RoomState state, Time now);

}  // namespace maejin
