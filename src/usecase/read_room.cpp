#include "usecase/read_room.h"

namespace maejin {

Task<Outcome<RoomInfo>> ReadRoom::operator()(RoomId room) const {
  co_return co_await parts_.store.Read(std::move(room), parts_.clock.Now());
}

std::optional<Outcome<Serving>> ReadRoom::ServingAtOnce(std::string_view room) const {
  return parts_.store.ServingAtOnce(room, parts_.clock.Now());
}

Task<Outcome<Serving>> ReadRoom::ReadServing(RoomId room) const {
  co_return co_await parts_.store.ReadServing(std::move(room), parts_.clock.Now());
}

}  // namespace maejin
