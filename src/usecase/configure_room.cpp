#include "usecase/configure_room.h"

#include "usecase/bypass_room.h"
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
  const auto now = context_.clock.Now();
  bool stayed = false;
  if (MayBypass(context_, now)) {
    std::optional<StayRevocation> revocation = StayRevocation{{actor, now}, masked};
    const auto ended = co_await context_.emergency->EndStay(room, user, std::move(revocation), now);
    if (!ended.ok()) co_return ended.error();
    stayed = *ended;
  }
  RevokeRequest request{std::move(room), std::move(user), std::move(masked), std::move(actor)};
  auto revoked = co_await context_.store.Revoke(std::move(request), now);
  // A fan that a bypass let in need not have a place.
  if (!revoked.ok() && revoked.error() == Refusal::kNotQueued && stayed) co_return Done{};
  co_return revoked;
}

}  // namespace maejin
