// One typed decoder for each reply of the ranking scripts and commands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/client/reply.h"
#include "domain/ranking/ranking.h"
#include "domain/refusal.h"

namespace maejin::redis {

// ranking_add.lua, for each row.
enum class AddedRow : std::uint8_t {
  kKnown,     // every board had the row
  kNew,       // no board had the row
  kRepaired,  // a board lacked the row or had another score
};
std::vector<AddedRow> DecodeAdd(const Reply& reply);

// ranking_read.lua: consecutive rows of a sold-out board, in whole groups of equal scores.
struct BoardRows {
  struct Row {
    std::string member;
    std::string score;
  };
  std::int64_t visible = 0;  // rows of the board within its cap
  std::int64_t corrections = 0;
  std::int64_t first = 0;  // index of the first row, from 0
  std::vector<Row> rows;
  bool built = true;  // false: the board is built when it is read, and is not built yet
};
// Absent: the boards are not complete; read the database.
std::optional<BoardRows> DecodeRead(Reply reply);

// ranking_ranks.lua: the position of one row.
struct BoardPosition {
  std::int64_t before = 0;
  std::int64_t total = 0;
  std::vector<std::string> equal;  // members of the same score; may include the row itself
  bool built = true;               // as in BoardRows
};
struct BoardPositions {
  std::int64_t corrections = 0;
  std::vector<BoardPosition> positions;
};
// Absent: the boards are not complete; read the database.
std::optional<BoardPositions> DecodeRanks(Reply reply);

// ranking_progress_read.lua: consecutive rows of a progress board.
struct ProgressRows {
  std::int64_t visible = 0;
  std::int64_t first = 0;  // index of the first row, from 0
  std::vector<std::string> orders;
  std::vector<std::string> dates;  // only for a board whose members are schedules
};
// Absent: the boards are not complete; read the database. Refuses: kNotRanked.
std::optional<Outcome<ProgressRows>> DecodeProgressRead(Reply reply);

// ranking_check_state.lua
struct BoardState {
  bool complete = false;
  std::int64_t changes = 0;
  std::int64_t pruned_before = 0;  // days since 1970-01-01
  std::string server;              // run id
  std::int64_t corrections = 0;
};
BoardState DecodeState(const Reply& reply);

// ranking_drop.lua
PruneReport DecodeDrop(const Reply& reply);

// ranking_progress.lua. False: another node rebuilds the progress boards; nothing was counted.
bool DecodeProgress(const Reply& reply);

// ranking_replace.lua, ranking_mark_complete.lua. False: another node or server took over; nothing was
// changed.
bool DecodeSuccess(const Reply& reply);

// ZSCAN, or ZRANGE … WITHSCORES without a cursor.
struct ScoresPage {
  std::string cursor;  // "0" after the last page
  std::vector<BoardRows::Row> rows;
};
ScoresPage DecodeScan(Reply reply);
std::vector<BoardRows::Row> DecodeScores(Reply reply);

// HGETALL.
std::map<std::string, std::string> DecodeFields(Reply reply);

// An array of texts.
std::vector<std::string> DecodeTexts(Reply reply);

}  // namespace maejin::redis
