// The data and functions that the use cases of the waiting room share. The functions are thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/key_ring.h"
#include "domain/lost_span.h"
#include "domain/waiting_room/outlook.h"
#include "store/booking_store.h"
#include "store/emergency_store.h"
#include "store/site_probe.h"
#include "store/waiting_room_store.h"
#include "usecase/find_place.h"

namespace maejin {

// All references are thread-safe and outlive the use cases.
struct RoomContext {
  WaitingRoomStore& store;
  const KeyRing& keys;
  const Clock& clock;
  // For the number of free seats; null: reports have no outlook.
  const BookingStore* booking = nullptr;
  // Spans of time whose admissions a restore from a backup lost; the array outlives the use cases.
  std::span<const LostSpan> lost = {};
  // Checks the address of a site before it is set; null: an address is checked only when a probe connects.
  SiteProbe* probe = nullptr;
  // Bypasses; null: no room is ever bypassed.
  EmergencyStore* emergency = nullptr;
};

// A Visitor that owns its strings, for use cases that suspend.
struct VisitorCommand {
  RoomId room;
  std::optional<UserId> user;
  std::string token;

  Visitor view() const { return {room, user ? std::optional<std::string_view>(*user) : std::nullopt, token}; }
};

// A place as reported to its fan.
struct PlaceReport {
  PlaceAnswer answer;
  // Absent if the room belongs to no concert.
  std::optional<Outlook> outlook = {};
  // Why the fan cannot get a seat at present; kNone: it can.
  SaleEnd ended = SaleEnd::kNone;
  // Seconds until the slot or the turn ends, rounded up.
  std::optional<std::int64_t> expires_in = {};
  // Seconds until the session limit, which no poll extends. Only once entered.
  std::optional<std::int64_t> session_ends_in = {};
};

// A report with the place's token.
struct TokenReport {
  PlaceReport report;
  std::string token;
};

// Refuses kTargetRefused and kInvalidField if the patch names an address that must not be probed.
Task<Outcome<Done>> CheckProbe(const RoomContext& context, const RoomPatch& patch);

// Why a room is closed, or its concert sells nothing.
SaleEnd EndOfRoom(const RoomContext& context, std::string_view room, RoomState state, Time now);
// Adds to kSoldOut whether seats of the room's concert are held and may return.
Refused WithReturns(const RoomContext& context, std::string_view room, Refused refused, Time now);
PlaceReport MakeReport(const RoomContext& context, std::string_view room, PlaceAnswer answer, Time now);
std::string TokenOf(const RoomContext& context, std::string_view room, std::string_view user,
                    const PlaceAnswer& answer);
PlaceRef ToPlaceRef(const PlaceView& place);

}  // namespace maejin
