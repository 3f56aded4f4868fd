// The gate in front of a site: /gate, whose answer has the form that each gateway reads; /gate/return; and
// the list of revoked passes.
#pragma once

#include <functional>
#include <string>

#include "server/router.h"
#include "usecase/room_context.h"

namespace maejin::http {

struct GateRoutes {
  RoomContext parts;       // outlives the router
  std::string public_url;  // of maejin, as browsers see it; empty: the request's host
  // Returns this server's own address, such as "http://127.0.0.1:8080". A function, because the address is
  // known only when the server listens. A client that calls this address may exchange a return code, too.
  std::function<std::string()> own_url;
  // True: maintenance; /gate lets no visitor pass. Thread-safe, never waits.
  std::function<bool()> is_closed = [] { return false; };
};

void AddGateRoutes(Router& router, GateRoutes routes);

}  // namespace maejin::http
