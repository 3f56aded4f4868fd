#include "usecase/require_room_admission.h"

#include "usecase/bypass_room.h"

namespace maejin {

Outcome<RequireRoomAdmission::Asked> RequireRoomAdmission::PlaceOf(const AdmissionQuestion& question,
                                                                   Time now) const {
  PlaceToken token;
  const bool may_bypass = MayBypass(context_, now);
  if (question.token.empty()) {
    if (!may_bypass || !question.user) return Refusal::kPassRequired;
    return Asked{{question.room, *question.user, 0, 0}, false};
  }
  if (!token.Read(context_.keys, question.token)) return Refusal::kTokenInvalid;
  const auto& place = token.place();
  if (question.user && *question.user != place.user) return Refusal::kPassRequired;
  if (place.room == question.room) return Asked{ToPlaceRef(place)};
  if (!may_bypass) return Refusal::kPassRequired;
  return Asked{{question.room, UserId(place.user), 0, 0}, false};
}

Task<Outcome<UserId>> RequireRoomAdmission::operator()(AdmissionQuestion question, Time now) {
  const auto asked = PlaceOf(question, now);
  if (!asked.ok()) co_return asked.error();
  const auto& place = asked->place;
  auto refused = Refused(Refusal::kPassRequired);
  if (asked->by_token) {
    const auto inside = co_await context_.store.CheckInside(place, now);
    if (inside.ok()) co_return place.user;
    if (inside.error() == Refusal::kUnavailable) refused = inside.error();
  }
  const auto stay = co_await FindOrBeginStay(context_, place, now);
  if (!stay.ok()) co_return stay.error();
  if (*stay) co_return place.user;
  co_return refused;
}

}  // namespace maejin
