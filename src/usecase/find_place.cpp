#include "usecase/find_place.h"

namespace maejin {

Outcome<PlaceView> FindPlace(const KeyRing& keys, const Visitor& visitor, PlaceToken& token) {
  if (visitor.token.empty()) {
    if (!visitor.user) return Refusal::kUnauthorized;
    return PlaceView{visitor.room, *visitor.user, 0, 0};
  }
  if (!token.Read(keys, visitor.token) || token.place().room != visitor.room) return Refusal::kTokenInvalid;
  if (visitor.user && *visitor.user != token.place().user) return Refusal::kForbidden;
  return token.place();
}

}  // namespace maejin
