// The bypass of a room: in an emergency every fan is let in, without a slot. Fans in line keep their places.
//
// The functions do nothing, at the cost of one comparison, while no emergency control is in force. They are
// thread-safe.
#pragma once

#include <optional>

#include "usecase/room_context.h"

namespace maejin {

bool MayBypass(const RoomContext& context, Time now);
// Returns the fan's stay, or begins one while the room is bypassed. Absent: no bypass lets the fan in.
// Refuses: kUnavailable.
Task<Outcome<std::optional<Stay>>> FindOrBeginStay(RoomContext context, PlaceRef place, Time now);
// The answer to a fan inside without a slot.
PlaceAnswer InsideAnswer(const Stay& stay, const Outcome<PlaceAnswer>& known, Time now);
// A poll's answer as the fan sees it: inside while its stay lasts, and ready while the room is bypassed.
Task<Outcome<PlaceAnswer>> SeenThroughBypass(RoomContext context, PlaceRef place, Outcome<PlaceAnswer> answer,
                                             Time now);

// The operator's side. Thread-safe.
class BypassRoom {
 public:
  static constexpr std::int64_t kMaxMinutes = 1440;

  explicit BypassRoom(RoomContext context) : context_(context) {}
  // Returns when the bypass ends. Refuses: kRoomNotFound, kUnavailable.
  Task<Outcome<Time>> Start(RoomId room, std::int64_t minutes, std::string actor) const;
  // A room without a bypass is no error. Refuses: kRoomNotFound, kUnavailable.
  Task<Outcome<Done>> End(RoomId room, std::string actor) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
