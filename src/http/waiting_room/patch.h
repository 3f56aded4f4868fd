// The body of POST /api/v1/rooms and of PUT and PATCH /api/v1/rooms/{eventId}.
#pragma once

#include "domain/waiting_room/settings.h"
#include "http/json_body.h"

namespace maejin::http {

// The fields that the body names; the others stay unchanged. Errors are added to the body's.
RoomPatch ReadRoomPatch(JsonObject& body, std::string_view room);

}  // namespace maejin::http
