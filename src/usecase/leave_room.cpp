#include "usecase/leave_room.h"

#include "domain/waiting_room/pass.h"

namespace maejin {

Task<Outcome<Done>> LeaveRoom::operator()(VisitorCommand visitor) const {
  PlaceToken token;
  const auto place = FindPlace(context_.keys, visitor.view(), token);
  if (!place.ok()) co_return place.error();
  auto ref = ToPlaceRef(*place);
  co_return co_await context_.store.Leave(ref, context_.clock.Now());
}

Task<Outcome<Done>> LeaveRoom::ByPass(RoomId room, std::string pass) const {
  const auto now = context_.clock.Now();
  const auto read = ReadPass(context_.keys, pass, now);
  if (!read.ok() || read->room != room) co_return Refusal::kTokenInvalid;
  PlaceRef ref{read->room, read->user, read->number, read->epoch};
  co_return co_await context_.store.Leave(ref, now);
}

}  // namespace maejin
