#include "usecase/read_room.h"

namespace maejin {

Task<Outcome<RoomInfo>> ReadRoom::operator()(RoomId room) const {
  co_return co_await context_.store.Read(std::move(room), context_.clock.Now());
}

std::optional<Outcome<Serving>> ReadRoom::ServingAtOnce(std::string_view room) const {
  return context_.store.ServingAtOnce(room, context_.clock.Now());
}

Task<Outcome<Serving>> ReadRoom::ReadServing(RoomId room) const {
  co_return co_await context_.store.ReadServing(std::move(room), context_.clock.Now());
}

}  // namespace maejin
