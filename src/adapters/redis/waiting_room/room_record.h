// A room's settings and draws as stored in Redis: fields of a hash, readable with HGETALL, and text lines.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/waiting_room/replies.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The fields that room_configure.lua writes: the settings, the state, and the time of the next phase (0:
// never).
Fields SettingsFields(const RoomSettings& settings, RoomState state);
// The initial state of a room.
struct RoomBeginning {
  RoomSettings settings;
  RoomState state = RoomState::kOpen;
  std::uint32_t epoch = 0;
  PlaceNumber last_number = 0;
  std::int64_t version = 1;
  std::int64_t phases = 0;  // the number of phase changes before
  bool lost = false;        // the room existed before and must be recovered first
  std::vector<Draw> draws = {};
};
// The fields that room_create.lua writes, except the draws.
Fields NewRoomFields(const RoomBeginning& beginning);

// Values that are saved with the settings, state and draws of a room.
struct SavedExtras {
  std::string_view server = {};  // the run id of the Redis that served the room last
  std::int64_t phases = 0;       // the number of phase changes
};
// The room as saved in the database: one "name value" per text line. The other functions read that text.
std::string SavedText(const RoomInfo& info, SavedExtras extras);
std::string SavedServer(std::string_view text);
std::int64_t SavedPhases(std::string_view text);
std::optional<RoomInfo> ParseSavedText(RoomId room, std::string_view text);

// The phase of the room at `now` by its times; the present one if none is due.
RoomState PhaseAt(const RoomSettings& settings, RoomState state, Time now);

// The initial data of a mirror.
struct RoomRecord {
  // How long ranks wait after a loss for nodes that have not merged their lines; such a node has probably
  // ended.
  static constexpr Millis kMergeWait{15'000};

  RoomInfo info;
  std::int64_t version = 0;
  std::int64_t phases = 0;      // the number of phase changes
  std::uint32_t changes = 0;    // number of changes in the log
  std::uint32_t line_sum = 0;   // sum of all orders in line, modulo 2^32
  PlaceNumber lost_number = 0;  // after a loss: the highest number given before it
  Time lost_at{};               // Time{}: never
  std::uint32_t nodes = 0;      // the number of mirroring nodes; after a loss, the number before it
  std::uint32_t merged = 0;     // the number of these nodes that have merged their mirrors of before the loss
  std::uint32_t before_range = 0;
  std::string server;                            // the run id of the Redis that served it last
  std::map<std::int64_t, std::int64_t> entries;  // per ten seconds, for the outflow
  // Bitmaps by order, the highest bit of a byte first: in line; not eligible; in line before the loss, of
  // `before_range` places (empty: unknown).
  std::string line;
  std::string skips;
  std::string before;

  bool IsSettling(Time now) const { return lost_at > Time{} && now < lost_at + info.settings.grace; }
};
RoomRecord RecordOf(RoomId room, ReadReply reply);

// "first count seed digest", seed in hexadecimal; digest "-" until the opening.
std::string DrawText(const Draw& draw);
std::optional<Draw> ParseDraw(std::string_view text);
// Four little-endian bytes per place of the pre-queue: its position after the draw.
std::string PackPositions(const Shuffle& shuffle);

}  // namespace maejin::redis
