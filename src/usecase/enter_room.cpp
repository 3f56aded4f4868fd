#include "usecase/enter_room.h"

#include "usecase/bypass_room.h"

namespace maejin {

// Not a coroutine, so that the usual entry allocates no frame between the caller and the store.
Task<Outcome<PlaceAnswer>> EnterRoom::Enter(PlaceRef place, Time now) const {
  if (!MayBypass(context_, now)) return context_.store.Enter(std::move(place), now);
  return EnterOrStay(std::move(place), now);
}

Task<Outcome<PlaceAnswer>> EnterRoom::EnterOrStay(PlaceRef place, Time now) const {
  const auto known = co_await context_.store.Poll(place, now);
  if (!known.ok() && known.error() == Refusal::kRoomNotFound) co_return known.error();
  const bool inside = known.ok() && known->standing.status == PlaceStatus::kEntered;
  if (!inside) {
    if (known.ok()) place.number = known->standing.number;
    const auto stay = co_await FindOrBeginStay(context_, place, now);
    if (!stay.ok()) co_return stay.error();
    if (*stay) co_return InsideAnswer(**stay, known, now);
  }
  co_return co_await context_.store.Enter(std::move(place), now);
}

Task<Outcome<Entered>> EnterRoom::operator()(VisitorCommand visitor, bool wants_pass) const {
  PlaceToken token;
  const auto place = FindPlace(context_.keys, visitor.view(), token);
  if (!place.ok()) co_return place.error();
  const auto now = context_.clock.Now();
  auto answer = co_await Enter(ToPlaceRef(*place), now);
  if (!answer.ok()) co_return WithReturns(context_, visitor.room, answer.error(), now);
  co_return Report(visitor, place->user, std::move(*answer), wants_pass, now);
}

// `user` may point into `visitor`.
Entered EnterRoom::Report(const VisitorCommand& visitor, std::string_view user, PlaceAnswer answer,
                          bool wants_pass, Time now) const {
  const auto& standing = answer.standing;
  Entered entered;
  if (wants_pass) {
    const Pass pass{visitor.room,    UserId(user),        answer.epoch,
                    standing.number, standing.entered_at, standing.session_ends_at};
    entered.pass = WritePass(context_.keys, pass);
  }
  entered.token = visitor.token.empty() ? TokenOf(context_, visitor.room, user, answer) : visitor.token;
  entered.report = MakeReport(context_, visitor.room, std::move(answer), now);
  return entered;
}

}  // namespace maejin
