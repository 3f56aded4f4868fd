#include "store/room_events.h"

#include "base/json_text.h"

namespace maejin {
namespace {

std::string_view TypeOfPhase(RoomState state) {
  switch (state) {
    case RoomState::kOpen:
      return "room.opened";
    case RoomState::kPaused:
      return "room.paused";
    case RoomState::kClosed:
      return "room.closed";
    case RoomState::kScheduled:
    case RoomState::kPreQueue:
      break;
  }
  return {};
}

}  // namespace

bool IsPhaseEvent(const std::optional<LoggedPhase>& newest, const RoomPhase& phase) {
  if (!newest) return phase.count > 0;
  return newest->epoch == phase.epoch || newest->state != Name(phase.state);
}

void AppendRoomEvent(std::vector<EventDraft>& out, const RoomId& room, RoomState state, Time now) {
  const auto type = TypeOfPhase(state);
  if (type.empty()) return;
  auto data = JsonObjectText([&](JsonWriter& json) {
    json.Field("room", room);
    json.Field("state", Name(state));
  });
  out.push_back({type, now, "room " + room, std::move(data)});
}

}  // namespace maejin
