#include "usecase/poll_room.h"

#include "usecase/bypass_room.h"

namespace maejin {

std::optional<Outcome<PlaceReport>> PollRoom::AtOnce(const Visitor& visitor) const {
  if (visitor.token.empty()) return {};
  PlaceToken token;
  const auto place = FindPlace(context_.keys, visitor, token);
  if (!place.ok()) return Outcome<PlaceReport>(place.error());
  const auto now = context_.clock.Now();
  auto answer = context_.store.PollAtOnce(*place, now);
  if (!answer) return {};
  const bool inside = answer->ok() && (*answer)->standing.status == PlaceStatus::kEntered;
  if (!inside && MayBypass(context_, now)) return {};
  if (!answer->ok()) return Outcome<PlaceReport>(answer->error());
  return Outcome<PlaceReport>(MakeReport(context_, visitor.room, std::move(**answer), now));
}

Task<Outcome<TokenReport>> PollRoom::operator()(VisitorCommand visitor) const {
  PlaceToken token;
  const auto place = FindPlace(context_.keys, visitor.view(), token);
  if (!place.ok()) co_return place.error();
  const auto now = context_.clock.Now();
  const auto ref = ToPlaceRef(*place);
  auto polled = co_await context_.store.Poll(ref, now);
  auto answer = co_await SeenThroughBypass(context_, ref, std::move(polled), now);
  if (!answer.ok()) co_return answer.error();
  if (visitor.token.empty()) visitor.token = TokenOf(context_, visitor.room, *visitor.user, *answer);
  co_return TokenReport{MakeReport(context_, visitor.room, std::move(*answer), now),
                        std::move(visitor.token)};
}

}  // namespace maejin
