// The owner of a reservation in a request.
#pragma once

#include <optional>
#include <string_view>

#include "http/identity.h"
#include "usecase/manage_reservation.h"

namespace maejin::http {

// The reservation in the path, and the user of the request. The use case compares this user with the owner of
// the reservation. Where users are trusted and the request names no user, the user is absent and the id is
// enough: it cannot be guessed. `named`: the user in the body.
Outcome<ReservationRef> FindOwned(const Identity& identity, const Request& request,
                                  std::optional<std::string_view> named = {});

}  // namespace maejin::http
