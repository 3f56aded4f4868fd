#include "usecase/leave_room.h"

namespace maejin {

Task<Outcome<Done>> LeaveRoom::operator()(VisitorCommand visitor) const {
  PlaceToken token;
  const auto place = FindPlace(context_.keys, visitor.view(), token);
  if (!place.ok()) co_return place.error();
  auto ref = ToPlaceRef(*place);
  co_return co_await context_.store.Leave(ref, context_.clock.Now());
}

}  // namespace maejin
