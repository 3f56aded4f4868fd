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

// Not a coroutine: each join would need one more coroutine frame.
Task<Outcome<PlaceAnswer>> JoinRoom::Join(const JoinRequest& request, Time now) const {
  return IsPaused() ? FindPlace({request.room, request.user}, now) : context_.store.Join(request, now);
}

Task<Outcome<PlaceAnswer>> JoinRoom::FindPlace(PlaceRef place, Time now) const {
  auto found = co_await context_.store.Poll(std::move(place), now);
  if (!found.ok() && found.error() == Refusal::kNotQueued) co_return Refusal::kUnavailable;
  co_return found;
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
