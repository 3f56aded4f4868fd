#include "usecase/rest_room.h"

namespace maejin {
namespace {

constexpr Millis kCheckEvery{250};

}  // namespace

Task<Outcome<bool>> RestRoom::Rests(RoomId room) const {
  const auto now = context_.clock.Now();
  {
    const std::lock_guard lock(rooms_->mutex);
    const auto known = rooms_->by_id.find(room);
    if (known != rooms_->by_id.end() && now < known->second.checked_at + kCheckEvery) {
      co_return known->second.rests;
    }
  }
  const auto info = co_await context_.store.Read(room, now);
  if (!info.ok()) co_return info.error();
  const auto& standby = info->settings.site.standby;
  const std::lock_guard lock(rooms_->mutex);
  if (!standby || info->serving.state != RoomState::kOpen) {
    rooms_->by_id.erase(room);
    co_return false;
  }
  auto& resting = rooms_->by_id[room];
  resting.arrivals.Count(info->last_number, now);
  const RoomLoad load{resting.arrivals.LastMinute(now), info->serving.entered, info->serving.waiting,
                      info->serving.capacity};
  resting.rests = RestsNext(resting.rests, *standby, load);
  resting.checked_at = now;
  co_return resting.rests;
}

Task<Outcome<Entered>> RestRoom::Admit(RoomId room, UserId visitor, std::string address) const {
  const auto rests = co_await Rests(room);
  if (!rests.ok()) co_return rests.error();
  if (!*rests) co_return Refusal::kNotYourTurn;
  JoinRequest request{room, visitor, std::move(address)};
  auto joined = co_await join_(std::move(request));
  if (!joined.ok()) co_return joined.error();
  VisitorCommand command{room, {}, joined->token};
  auto entered = co_await enter_(std::move(command), true);
  if (entered.ok() || entered.error() == Refusal::kUnavailable) co_return entered;
  // The room has no free slot. The visitor gives up this place and joins again on the waiting page; the room
  // stops resting.
  PlaceToken token;
  if (token.Read(context_.keys, joined->token)) {
    auto place = ToPlaceRef(token.place());
    static_cast<void>(co_await context_.store.Leave(std::move(place), context_.clock.Now()));
  }
  {
    const std::lock_guard lock(rooms_->mutex);
    rooms_->by_id[room].rests = false;
  }
  co_return Refusal::kNotYourTurn;
}

}  // namespace maejin
