// The replies of the room's scripts as typed values, with one decoder each. Only decoders read replies by
// index. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/client/reply.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/waiting_room/places.h"
#include "domain/words.h"

namespace maejin::redis {

// The codes of scripts/room.lua, for a whole reply or for one fan. For a fan, 0, 1 and 2 are a PlaceStatus.
enum class RoomCode : std::int64_t {
  kDone = 0,
  kOne = 1,
  kNoRoom = -1,
  kPhaseDue = -2,
  kNotQueued = -3,
  kNotYourTurn = -4,
  kClosed = -5,
  kNotOpen = -6,
  kLost = -7,
  kAgain = -8,
  kTooMany = -9,
  kGoneBack = -10,
  kSoldOut = -11,
};
RoomCode CodeOf(const Reply& reply);

// The current state of the room, and its changes since the caller's mirror.
struct RoomHead {
  std::uint32_t epoch = 0;
  std::uint32_t changes = 0;
  std::int64_t version = 0;
  PlaceNumber serving = 0;
  std::uint32_t entered = 0;
  std::uint32_t waiting = 0;
  std::uint32_t line_sum = 0;
  std::uint32_t nodes = 0;  // the number of nodes that mirror the room
  // The change log after the mirror's last change. Absent: the mirror cannot follow.
  std::optional<std::vector<std::string>> log = {};
};
// The head of a reply of ask, enter, end, tick, configure and restore. Precondition: the code is kDone.
RoomHead DecodeHead(const Reply& reply);

struct FanReply {
  std::int64_t status = 0;  // PlaceStatus, or a RoomCode
  PlaceNumber number = 0;
  Millis interval{0};
  std::optional<Time> ends_at;
  Time entered_at{};
  bool is_new = false;
  bool entered_now = false;
  bool is_unshown = false;  // room `main` only: the token is not in Redis yet

  bool Is(RoomCode code) const { return status == static_cast<std::int64_t>(code); }
  // Absent: the fan is not refused.
  std::optional<Refused> refusal() const;
};
// room_ask.lua
std::vector<FanReply> DecodeFans(const Reply& reply);

// room_enter.lua
struct EnterReply {
  std::vector<FanReply> fans;
  std::string log_entry;    // the log entry of the admissions
  bool has_behind = false;  // other log entries must be recorded before it
};
EnterReply DecodeEnter(const Reply& reply);

// room_end.lua
struct EndReply {
  RoomCode code = RoomCode::kDone;  // kOne: a place or slot ended
  PlaceNumber number = 0;
  bool was_inside = false;
  Time seen_at{};  // kAgain: the time of the fan's last request
};
EndReply DecodeEnd(const Reply& reply);

// room_tick.lua
struct TickReply {
  std::optional<Time> next_due;
  std::int64_t log_entries = 0;  // the number of log entries that wait for the database
};
TickReply DecodeTick(const Reply& reply);

// SMEMBERS of the set of all rooms.
std::vector<std::string> DecodeNames(const Reply& reply);

// room_restore.lua: how many of the places are not lost any more.
std::int64_t DecodeRestored(const Reply& reply);

// room_unrecorded.lua; absent: the room is missing or lost data.
std::optional<std::vector<std::string>> DecodeLogEntries(const Reply& reply);

// room_inside.lua; absent: room_ask.lua must decide.
struct InsideReply {
  PlaceNumber number = 0;
  Time seen_at{};
  Time entered_at{};
  std::int64_t version = 0;
  std::uint32_t epoch = 0;
};
std::optional<InsideReply> DecodeInside(const Reply& reply);

// HMGET room epoch changes version: checks whether the mirror is current.
RoomHead DecodePeek(const Reply& reply);

}  // namespace maejin::redis
