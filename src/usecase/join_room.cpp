#include "usecase/join_room.h"

namespace maejin {

Task<Outcome<TokenReport>> JoinRoom::operator()(JoinRequest request) const {
  const auto now = parts_.clock.Now();
  auto answer = co_await parts_.store.Join(request, now);
  if (!answer.ok()) co_return answer.error();
  auto token = TokenOf(parts_, request.room, request.user, *answer);
  co_return TokenReport{MakeReport(parts_, request.room, std::move(*answer), now), std::move(token)};
}

}  // namespace maejin
