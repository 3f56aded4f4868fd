#include "usecase/own_rooms.h"

namespace maejin {

Task<Outcome<RoomInfo>> OwnRooms::Create(RoomId room, RoomPatch patch, std::string actor) const {
  if (room == kMainRoom) co_return Refused{Refusal::kRoomExists, room};
  if (!IsOwnRoom(room))
    co_return Refused{Refusal::kInvalidField, "id: must be a letter a-z, then up to 62 of a-z, 0-9 and -"};
  const auto checked = co_await CheckProbe(context_, patch);
  if (!checked.ok()) co_return checked.error();
  const auto now = context_.clock.Now();
  // CreateRoom() cannot begin a pre-queue: Configure() makes the seed of its draw. So the room is created as
  // scheduled, and Configure() then changes it.
  const bool pre_queue = patch.state == RoomState::kPreQueue;
  if (pre_queue) patch.state = RoomState::kScheduled;
  const auto created = co_await context_.store.sites().CreateRoom(room, patch, actor, now);
  if (!created.ok()) co_return created.error();
  if (pre_queue) {
    RoomPatch begin;
    begin.state = RoomState::kPreQueue;
    auto begun = co_await context_.store.Configure(std::move(room), std::move(begin), std::move(actor), now);
    co_return begun;
  }
  auto info = co_await context_.store.Read(std::move(room), now);
  co_return info;
}

Task<Outcome<Done>> OwnRooms::Delete(RoomId room, std::string actor) const {
  const auto now = context_.clock.Now();
  if (!IsOwnRoom(room)) {
    const auto known = co_await context_.store.Read(room, now);
    if (!known.ok()) co_return known.error();
    co_return Refused{Refusal::kRoomInUse, room};
  }
  auto deleted = co_await context_.store.sites().DeleteRoom(room, std::move(actor), now);
  if (!deleted.ok() || context_.emergency == nullptr) co_return deleted;
  co_return co_await context_.emergency->ForgetRoom(std::move(room));
}

}  // namespace maejin
