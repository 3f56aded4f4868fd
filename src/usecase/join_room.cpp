#include "usecase/join_room.h"

namespace maejin {

Task<Outcome<TokenReport>> JoinRoom::operator()(JoinRequest request) const {
  const auto now = context_.clock.Now();
  auto answer = co_await context_.store.Join(request, now);
  if (!answer.ok()) {
    const bool closed = answer.error() == Refusal::kRoomClosed;
    if (closed && EndOfRoom(context_, request.room, RoomState::kClosed, now) == SaleEnd::kCancelled)
      co_return Refusal::kConcertCancelled;
    co_return answer.error();
  }
  auto token = TokenOf(context_, request.room, request.user, *answer);
  co_return TokenReport{MakeReport(context_, request.room, std::move(*answer), now), std::move(token)};
}

}  // namespace maejin
