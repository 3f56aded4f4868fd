// A room's settings and draws as Redis keeps them: fields of a hash, readable with HGETALL, and lines of
// text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/client/reply.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

using Fields = std::vector<std::pair<std::string, std::string>>;

// What room_configure.lua writes: the settings, the state, and when the next phase is due by time (0: never).
Fields SettingsFields(const RoomSettings& settings, RoomState state);
// How a room begins.
struct RoomBeginning {
  RoomSettings settings;
  RoomState state = RoomState::kOpen;
  std::uint32_t epoch = 0;
  PlaceNumber last_number = 0;
  std::int64_t version = 1;
  bool lost = false;  // it was there before: it has to be recovered first
  std::vector<Draw> draws = {};
};
// What room_create.lua writes: the settings and the rest of the beginning, but for the draws.
Fields NewRoomFields(const RoomBeginning& beginning);

// Settings, state and draws as the database remembers them, and who serves the room: one "name value" a line,
// and back.
std::string MemoryText(const RoomInfo& info, std::string_view server);
std::string MemoryServer(std::string_view text);
std::optional<RoomInfo> ParseMemoryText(RoomId room, std::string_view text);

// The phase a room should be in at `now` by its own times; its present one where none is due.
RoomState PhaseAt(const RoomSettings& settings, RoomState state, Time now);

// What a mirror begins with.
struct RoomRecord {
  // So long after a loss ranks wait for a node that does not merge what it knew: it has ended, too.
  static constexpr Millis kMergeWait{15'000};

  RoomInfo info;
  std::int64_t version = 0;
  std::uint32_t changes = 0;    // in the log so far
  std::uint32_t line_sum = 0;   // of all orders in line, modulo 2^32
  PlaceNumber lost_number = 0;  // after a loss: the last number before those given since
  Time lost_at{};               // 1970: never
  std::uint32_t nodes = 0;      // that mirror the room; after a loss, that mirrored it before
  std::uint32_t merged = 0;     // of these nodes: have merged what they knew before the loss
  std::uint32_t before_range = 0;
  std::string server;                            // the run id of the Redis that served it last
  std::map<std::int64_t, std::int64_t> entries;  // per ten seconds, for the outflow
  // Bitmaps by order, the highest bit of a byte first: in line; others do not wait for it; in line before the
  // loss, of `before_range` places (empty: not known).
  std::string line;
  std::string skips;
  std::string before;

  bool IsSettling(Time now) const { return lost_at > Time{} && now < lost_at + info.settings.grace; }
};
// From the reply of room_read.lua. Absent where it is not one.
std::optional<RoomRecord> ReadRecord(RoomId room, const Reply& reply);

// "first count seed digest", seed in hexadecimal; digest "-" until the opening.
std::string DrawText(const Draw& draw);
std::optional<Draw> ParseDraw(std::string_view text);
// Four little-endian bytes a comer: where each of them stands after the draw.
std::string PackPositions(const Shuffle& shuffle);

}  // namespace maejin::redis
