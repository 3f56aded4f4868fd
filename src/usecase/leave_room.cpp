#include "usecase/leave_room.h"

#include "domain/waiting_room/pass.h"
#include "usecase/bypass_room.h"

namespace maejin {
namespace {

// Ends the place or slot, and the stay of a fan that a bypass let in.
Task<Outcome<Done>> LeavePlace(RoomContext context, PlaceRef place, Time now) {
  if (MayBypass(context, now)) {
    const auto ended = co_await context.emergency->EndStay(place.room, place.user, std::nullopt, now);
    if (!ended.ok()) co_return ended.error();
  }
  co_return co_await context.store.Leave(std::move(place), now);
}

}  // namespace

Task<Outcome<Done>> LeaveRoom::operator()(VisitorCommand visitor) const {
  PlaceToken token;
  const auto place = FindPlace(context_.keys, visitor.view(), token);
  if (!place.ok()) co_return place.error();
  auto ref = ToPlaceRef(*place);
  co_return co_await LeavePlace(context_, std::move(ref), context_.clock.Now());
}

Task<Outcome<Done>> LeaveRoom::ByPass(RoomId room, std::string pass) const {
  const auto now = context_.clock.Now();
  const auto read = ReadPass(context_.keys, pass, now);
  if (!read.ok() || read->room != room) co_return Refusal::kTokenInvalid;
  PlaceRef ref{read->room, read->user, read->number, read->epoch};
  co_return co_await LeavePlace(context_, std::move(ref), now);
}

}  // namespace maejin
