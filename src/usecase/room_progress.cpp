#include "usecase/room_progress.h"

#include "base/json_text.h"

namespace maejin {
namespace {

Event ProgressEvent(const RoomId& room, const Serving& serving, Time now) {
  auto data = JsonObjectText([&](JsonWriter& json) {
    json.Field("room", room);
    json.Field("state", Name(serving.state));
    json.Field("waiting", serving.waiting);
    json.Field("entered", serving.entered);
    json.Field("capacity", serving.capacity);
    json.Field("serving", serving.serving);
  });
  std::string tail;
  AppendEventTail(tail, {RoomProgress::kType, now, "room " + room, std::move(data)});
  tail.front() = '{';  // replaces the comma, which would follow an id
  return {0, std::string(RoomProgress::kType), std::move(tail)};
}

}  // namespace

RoomProgress::SentCounts RoomProgress::Begin(Beginning beginning) const {
  SentCounts sent;
  for (const auto& room : stats_()) {
    const bool people = room.serving.waiting > 0 || room.serving.entered > 0;
    if (beginning == Beginning::kNothing || !people) sent[room.room] = room.serving;
  }
  return sent;
}

std::vector<Event> RoomProgress::Changes(SentCounts& sent) const {
  std::vector<Event> events;
  for (const auto& room : stats_()) {
    const auto [known, added] = sent.try_emplace(room.room, room.serving);
    const bool same = !added && known->second == room.serving;
    const bool empty = room.serving.waiting == 0 && room.serving.entered == 0;
    known->second = room.serving;
    // A new room gets no event before its first fan.
    if (same || (added && empty)) continue;
    events.push_back(ProgressEvent(room.room, room.serving, clock_.Now()));
  }
  return events;
}

}  // namespace maejin
