// What the verbs of the waiting room have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/key_ring.h"
#include "domain/waiting_room/outlook.h"
#include "store/booking_store.h"
#include "store/waiting_room_store.h"
#include "usecase/find_place.h"

namespace maejin {

// All of it outlives the verbs and is thread-safe.
struct RoomParts {
  WaitingRoomStore& store;
  const KeyRing& keys;
  const Clock& clock;
  // Tells how much of a concert is left; null: no outlook.
  const BookingStore* booking = nullptr;
};

// A request's visitor, owned: for the verbs that wait.
struct VisitorCommand {
  RoomId room;
  std::optional<UserId> user;
  std::string token;

  Visitor view() const { return {room, user ? std::optional<std::string_view>(*user) : std::nullopt, token}; }
};

// A place as its fan sees it.
struct PlaceReport {
  PlaceAnswer answer;
  // Absent where the room is no concert's.
  std::optional<Outlook> outlook = {};
  // Seconds until the slot ends or the turn passes, rounded up.
  std::optional<std::int64_t> expires_in = {};
};

// A report with the place's token.
struct TokenReport {
  PlaceReport report;
  std::string token;
};

PlaceReport MakeReport(const RoomParts& parts, std::string_view room, PlaceAnswer answer, Time now);
std::string TokenOf(const RoomParts& parts, std::string_view room, std::string_view user,
                    const PlaceAnswer& answer);
PlaceRef Own(const PlaceView& place);

}  // namespace maejin
