#include "usecase/configure_room.h"

#include "usecase/masked_user.h"

namespace maejin {

Task<Outcome<RoomInfo>> ConfigureRoom::operator()(RoomId room, RoomPatch patch, std::string actor) const {
  const auto checked = co_await CheckProbe(context_, patch);
  if (!checked.ok()) co_return checked.error();
  co_return co_await context_.store.Configure(std::move(room), std::move(patch), std::move(actor),
                                              context_.clock.Now());
}

Task<Outcome<Done>> ConfigureRoom::Revoke(RoomId room, UserId user, std::string actor) const {
  auto masked = MaskedUser(context_.keys, user);
  RevokeRequest request{std::move(room), std::move(user), std::move(masked), std::move(actor)};
  co_return co_await context_.store.Revoke(std::move(request), context_.clock.Now());
}

}  // namespace maejin
