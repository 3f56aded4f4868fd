// The waiting room over HTTP: joining, polling, entering, leaving, "now serving", the operator's settings,
// rooms of the operator's own, the short /queue paths, and the public keys.
#pragma once

#include "http/idempotency.h"
#include "http/identity.h"
#include "http/waiting_room/streams.h"
#include "server/router.h"
#include "usecase/room_context.h"

namespace maejin::http {

struct WaitingRoomRoutes {
  // All references in it outlive the router.
  RoomContext parts;
  const Identity& identity;
  Idempotency& idempotency;
  // GET /api/v1/rooms/{eventId}/stream; null: no such route.
  RoomStreams* streams = nullptr;
  // Adds signing keys and signs with them from now on, with an audit row that names the actor:
  // POST /api/v1/admin/keys/rotate. Refuses: kUnavailable, kInvalidField (the server cannot rotate its keys).
  std::function<Task<Outcome<Done>>(std::string actor)> rotate_keys = {};
};

void AddWaitingRoomRoutes(Router& router, WaitingRoomRoutes routes);

}  // namespace maejin::http
