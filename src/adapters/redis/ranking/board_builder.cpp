#include "adapters/redis/ranking/board_builder.h"

#include <algorithm>
#include <tuple>

#include "adapters/redis/ranking/replies.h"
#include "adapters/redis/ranking/rows.h"
#include "adapters/redis/ranking/scripts.h"
#include "base/random.h"

namespace maejin::redis {
namespace {

constexpr std::size_t kRowsPerZadd = 500;
// After this time the staged board of a node that died expires.
constexpr int kStagedSeconds = 60;

}  // namespace

BoardBuilder::BoardBuilder(RankingContext& context)
    : context_(context), node_(std::to_string(SystemRandom().Next64())) {}

Task<void> BoardBuilder::Build(BoardWindow board) {
  {
    const std::lock_guard lock(mutex_);
    if (!building_.insert(board).second) co_return;
  }
  co_await BuildAlone(board);
  const std::lock_guard lock(mutex_);
  building_.erase(board);
}

Task<bool> BoardBuilder::Stage(std::string key, BoardWindow board, std::vector<ScheduleSoldOut> rows) {
  const auto& described = BoardOf(board.board);
  for (std::size_t at = 0; at < rows.size(); at += kRowsPerZadd) {
    auto add = Command("ZADD").Key(key);
    for (auto i = at; i < std::min(at + kRowsPerZadd, rows.size()); ++i) {
      const auto row = KeyOf(rows[i]);
      add.Word(ScoreOf(described, row)).Word(MemberOf(described, row.id));
    }
    const auto added = co_await context_.client.Call(std::move(add));
    if (!added) co_return false;
    const auto expires =
        co_await context_.client.Call(Command("EXPIRE").Key(key).Word(std::to_string(kStagedSeconds)));
    if (!expires) co_return false;
  }
  co_return true;
}

// The state is read before the database. A row that this read misses is ranked later, so the script finds
// another count of changes and does not build the board.
Task<void> BoardBuilder::BuildAlone(BoardWindow board) {
  const auto& keys = context_.keys;
  ScriptArguments asked;
  asked.Key(keys.State()).AppendRunId();
  const auto reply = co_await context_.client.Eval(RankingScripts::Get().check_state, std::move(asked));
  if (!reply) co_return;
  const auto state = DecodeState(*reply);
  if (!state.complete) co_return;
  auto rows = co_await context_.from_database.Read<ScheduleSoldOut>(board);
  if (!rows.ok()) co_return;
  const auto staged_key = keys.Staged(board) + ":" + node_;
  const bool staged = co_await Stage(staged_key, board, std::move(*rows));
  if (!staged) co_return;
  ScriptArguments arguments;
  arguments.Key(keys.State()).Key(keys.Windows()).Key(keys.Board(board)).Key(staged_key);
  arguments.Arg(RankingKeys::BuiltField(board)).Arg(state.changes).Arg(state.corrections);
  arguments.Arg(context_.retention.ExpiryText(board)).Arg(WindowName(board));
  arguments.Arg(DayNumber(DayAfter(board.window))).AppendRunId();
  std::ignore = co_await context_.client.Eval(RankingScripts::Get().build, std::move(arguments));
}

}  // namespace maejin::redis
