#include "http/booking/reservation_owner.h"

namespace maejin::http {

Outcome<ReservationRef> FindOwned(const Identity& identity, const Request& request,
                                  std::optional<std::string_view> named) {
  const auto id = Id128::Parse(request.params[0]);
  if (!id) return Refused{Refusal::kReservationNotFound, std::string(request.params[0])};
  const auto asked = request.Query("userId");
  auto user = identity.Find(request, named || !asked ? named : *asked);
  if (!user) return user.error();
  if (!*user && !identity.trusted()) return Refusal::kUnauthorized;
  return ReservationRef{*id, std::move(*user)};
}

}  // namespace maejin::http
