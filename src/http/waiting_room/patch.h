// The body of PUT /api/v1/rooms/{eventId}.
#pragma once

#include "domain/waiting_room/settings.h"
#include "http/json_body.h"

namespace maejin::http {

// What the body names; the rest stays. Errors are the body's.
RoomPatch ReadRoomPatch(JsonObject& body, std::string_view room);

}  // namespace maejin::http
