#include "usecase/leave_room.h"

namespace maejin {

Task<Outcome<Done>> LeaveRoom::operator()(VisitorCommand visitor) const {
  PlaceToken token;
  const auto place = FindPlace(parts_.keys, visitor.view(), token);
  if (!place.ok()) co_return place.error();
  auto ref = Own(*place);
  co_return co_await parts_.store.Leave(ref, parts_.clock.Now());
}

}  // namespace maejin
