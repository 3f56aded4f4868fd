#include "usecase/require_room_admission.h"

namespace maejin {

Task<Outcome<UserId>> RequireRoomAdmission::operator()(AdmissionQuestion question, Time now) {
  if (question.token.empty()) co_return Refusal::kPassRequired;
  PlaceToken token;
  if (!token.Read(keys_, question.token)) co_return Refusal::kTokenInvalid;
  if (token.place().room != question.room) co_return Refusal::kPassRequired;
  if (question.user && *question.user != token.place().user) co_return Refusal::kPassRequired;
  const auto ref = ToPlaceRef(token.place());
  const auto inside = co_await store_.CheckInside(ref, now);
  if (inside.ok()) co_return ref.user;
  if (inside.error() == Refusal::kUnavailable) co_return inside.error();
  co_return Refusal::kPassRequired;
}

}  // namespace maejin
