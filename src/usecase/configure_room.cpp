#include "usecase/configure_room.h"

#include "usecase/bypass_room.h"
#include "usecase/masked_user.h"

namespace maejin {
namespace {

// The room of a concert that sells nothing more stays closed. Refuses: kConcertCancelled, kConcertClosed.
Outcome<Done> CheckState(const RoomContext& context, std::string_view room, const RoomPatch& patch) {
  if (!patch.state || patch.state == RoomState::kClosed) return Done{};
  switch (EndOfRoom(context, room, *patch.state, context.clock.Now())) {
    case SaleEnd::kCancelled:
      return Refusal::kConcertCancelled;
    case SaleEnd::kClosed:
      return Refusal::kConcertClosed;
    case SaleEnd::kNone:
    case SaleEnd::kSoldOut:  // a seat may return
      break;
  }
  return Done{};
}

}  // namespace

Task<Outcome<RoomInfo>> ConfigureRoom::operator()(RoomId room, RoomPatch patch, std::string actor) const {
  const auto checked = co_await CheckProbe(context_, patch);
  if (!checked.ok()) co_return checked.error();
  if (const auto allowed = CheckState(context_, room, patch); !allowed.ok()) co_return allowed.error();
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
