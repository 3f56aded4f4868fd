// One typed decoder for each reply of the ranking scripts and commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/client/reply.h"
#include "domain/ranking/ranking.h"
#include "domain/refusal.h"

namespace maejin::redis {

// ranking_add.lua, for each row.
struct AddedRow {
  enum class Kind : std::uint8_t {
    kKnown,     // the board had the row already
    kNew,       // added
    kRepaired,  // known, but missing on a board; added there
    kDiffers,   // known with the detail `other`; nothing was changed
  };
  Kind kind = Kind::kKnown;
  std::string other = {};
};
std::vector<AddedRow> DecodeAdd(Reply reply);

// ranking_read.lua: consecutive rows of a board.
struct BoardRows {
  std::int64_t visible = 0;  // rows of the board within its cap
  std::int64_t first = 0;    // index of the first row, from 0
  std::vector<std::string> orders;
  std::vector<std::string> details;
};
// Absent: the boards are not complete; read the database. Refuses: kNotRanked.
std::optional<Outcome<BoardRows>> DecodeRead(Reply reply);

// ranking_ranks.lua: ranks from 1; 0: not on the board. Empty: the boards are not complete.
std::vector<std::int64_t> DecodeRanks(const Reply& reply);

// ranking_check_state.lua
struct BoardState {
  bool complete = false;
  std::int64_t changes = 0;
  std::int64_t pruned_before = 0;  // days since 1970-01-01
  std::string server;              // run id
};
BoardState DecodeState(const Reply& reply);

// ranking_drop.lua
PruneReport DecodeDrop(const Reply& reply);

// ranking_progress.lua. False: another node rebuilds the progress boards; nothing was counted.
bool DecodeProgress(const Reply& reply);

// ranking_replace.lua, ranking_mark_complete.lua. False: another node or server took over; nothing was
// changed.
bool DecodeSuccess(const Reply& reply);

// HSCAN of a details hash.
struct DetailsPage {
  struct Row {
    std::int64_t id = 0;
    std::string detail;
  };
  std::string cursor;  // "0" after the last page
  std::vector<Row> rows;
};
DetailsPage DecodeDetails(const Reply& reply);

// An array of texts.
std::vector<std::string> DecodeTexts(Reply reply);

}  // namespace maejin::redis
