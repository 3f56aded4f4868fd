// A room's record: the initial data of a mirror. In Redis it is a hash, readable with HGETALL, and texts of
// draws; the database saves what a new Redis needs of it as text lines.
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

struct RoomRecord {
  // After a loss, nodes report no ranks until all nodes have merged their lines, but at most for this long. A
  // node that is still missing then has probably ended.
  static constexpr Millis kMergeWait{15'000};
  // The `server` of a room that is created again: it must be recovered first.
  static constexpr char kNoServer[] = "-";

  RoomInfo info;
  // The epoch in which an operator created this room (0: it is no own room). Places of earlier epochs
  // belong to a deleted room of the same name.
  std::uint32_t first_epoch = 0;
  std::int64_t version = 1;
  std::int64_t phases = 0;      // the number of phase changes
  std::uint32_t changes = 0;    // number of changes in the log
  std::uint32_t line_sum = 0;   // sum of all orders in line, modulo 2^32
  PlaceNumber lost_number = 0;  // after a loss: the highest number given before it
  Time lost_at{};               // Time{}: never
  std::uint32_t nodes = 0;      // the number of mirroring nodes; after a loss, the number before it
  std::uint32_t merged = 0;     // the number of these nodes that have merged their mirrors of before the loss
  std::uint32_t before_range = 0;
  std::string server;                            // the run id of the Redis that served it last
  std::map<std::int64_t, std::int64_t> entries;  // admissions per ten seconds, for the outflow
  // Bitmaps by order, the highest bit of a byte first: in line; not eligible; in line before the loss, of
  // `before_range` places (empty: unknown).
  std::string line;
  std::string skips;
  std::string before;

  bool IsSettling(Time now) const { return lost_at > Time{} && now < lost_at + info.settings.grace; }
};
// The reply of room_read.lua. Absent: not a room.
std::optional<RoomRecord> DecodeRecord(RoomId room, const Reply& reply);

// The reply of room_epoch.lua without arguments. Absent: no data is missing.
struct Loss {
  RoomRecord record;   // settings, numbers and draws, as they are in this Redis
  std::string server;  // its run id
  std::vector<std::pair<UserId, PlaceNumber>> inside;
};
std::optional<Loss> DecodeLoss(RoomId room, const Reply& reply);

// The record as write_record() in room_settings.lua reads it. Places of draws that are not in `known` get the
// drawn order.
std::vector<std::string> RecordWords(const RoomRecord& record, const std::vector<Draw>& known);

// Whether the settings, state and draws of `record` are older than those of `other`.
bool IsOlder(const RoomRecord& record, const RoomRecord& other);

// Settings, state, draws, first epoch, version, phases and server for the database: one "name value" per text
// line.
std::string SavedText(const RoomRecord& record);
// The database has this text in place of a deleted room's settings. It is not a valid settings text.
inline constexpr char kDeletedRoomText[] = "deleted\n";
// Absent: not such a text.
std::optional<RoomRecord> ParseSavedText(RoomId room, std::string_view text);

// "first count seed digest", seed in hexadecimal; digest "-" until the opening.
std::string DrawText(const Draw& draw);
std::optional<Draw> ParseDraw(std::string_view text);

}  // namespace maejin::redis
