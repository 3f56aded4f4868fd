#include "usecase/join_room.h"

namespace maejin {
namespace {

// A shorter outage passes unnoticed: a failover, or a full refresh of a busy node's mirror.
constexpr Seconds kPauseAfter{3};

}  // namespace

bool JoinRoom::IsPaused() const {
  const auto age = context_.booking != nullptr ? context_.booking->AgeAtOnce() : std::nullopt;
  return age && *age >= kPauseAfter;
}

Task<Outcome<PlaceAnswer>> JoinRoom::Join(const JoinRequest& request, Time now) const {
  if (!IsPaused()) co_return co_await context_.store.Join(request, now);
  PlaceRef place{.room = request.room, .user = request.user};
  auto known = co_await context_.store.Poll(std::move(place), now);
  if (!known.ok() && known.error() == Refusal::kNotQueued) co_return Refusal::kUnavailable;
  co_return known;
}

Task<Outcome<TokenReport>> JoinRoom::operator()(JoinRequest request) const {
  const auto now = context_.clock.Now();
  auto answer = co_await Join(request, now);
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
