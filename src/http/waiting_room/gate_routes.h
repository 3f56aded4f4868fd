// The gate in front of a site: /gate in the dialects of gateways, /gate/return, and the list of revoked
// passes.
#pragma once

#include <functional>
#include <string>

#include "server/router.h"
#include "usecase/room_context.h"

namespace maejin::http {

struct GateRoutes {
  RoomContext parts;       // outlives the router
  std::string public_url;  // of maejin, as browsers see it; empty: the request's host
  // "http://127.0.0.1:8080", once the server listens: a request to maejin itself may exchange codes, too.
  std::function<std::string()> own_url;
};

void AddGateRoutes(Router& router, GateRoutes routes);

}  // namespace maejin::http
