#include "adapters/redis/ranking/sold_out_writer.h"

#include <algorithm>
#include <map>
#include <span>

#include "adapters/redis/ranking/rows.h"
#include "adapters/redis/ranking/scripts.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

// Rows of one script: a longer script would delay Redis's other clients.
constexpr std::size_t kRowsPerScript = 100;
// The keys of ranking_add.lua before the boards.
constexpr int kFixedAddKeys = 3;

Refused UnavailableBoards(const RedisError& error) {
  if (error.kind == RedisError::Kind::kRefused) LogError("redis: rankings: {}", error.text);
  return Refusal::kUnavailable;
}

template <class SoldOut>
ScriptArguments AddArguments(const RankingContext& context, std::span<const SoldOut> rows,
                             SoldOutWriter::Mode mode) {
  const auto& keys = context.keys;
  ScriptArguments arguments;
  arguments.Key(keys.State()).Key(keys.Details(kSourceOf<SoldOut>)).Key(keys.Windows());
  std::map<BoardWindow, int> key_index;  // from 1, as Lua counts
  std::vector<std::vector<BoardWindow>> boards;
  for (const auto& row : rows) {
    boards.push_back(KeptBoards(row, context.retention));
    for (const auto& window : boards.back()) {
      const auto next = kFixedAddKeys + 1 + 2 * static_cast<int>(key_index.size());
      if (!key_index.try_emplace(window, next).second) continue;
      arguments.Key(keys.Board(window)).Key(keys.Exact(window));
    }
  }
  arguments.Arg(mode == SoldOutWriter::Mode::kRepair ? 1 : 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    arguments.Arg(IdOf(rows[i])).Arg(PackDetail(rows[i])).Arg(boards[i].size());
    for (const auto& window : boards[i]) {
      const auto& board = BoardOf(window.board);
      const auto key = KeyOf(rows[i]);
      arguments.Arg(key_index[window]).Arg(ScoreOf(board, key)).Arg(MemberOf(board, key.id));
      arguments.Arg(ExactOrder(board, key)).Arg(context.retention.ExpiryText(window)).Arg(board.cap);
      arguments.Arg(WindowName(window));
      const bool ends = window.window.kind != WindowKind::kAll;
      arguments.Arg(ends ? DayNumber(DayAfter(window.window)) : 0);
    }
  }
  return arguments;
}

}  // namespace

template <class SoldOut>
Task<Outcome<std::vector<AddedRow>>> SoldOutWriter::Add(std::vector<SoldOut> rows, Mode mode) {
  std::vector<AddedRow> added;
  for (std::size_t at = 0; at < rows.size(); at += kRowsPerScript) {
    const auto some = std::span<const SoldOut>(rows).subspan(at, std::min(kRowsPerScript, rows.size() - at));
    auto arguments = AddArguments(context_, some, mode);
    auto reply = co_await context_.client.Eval(RankingScripts::Get().add, std::move(arguments));
    if (!reply) co_return UnavailableBoards(reply.error());
    auto decoded = DecodeAdd(std::move(*reply));
    std::move(decoded.begin(), decoded.end(), std::back_inserter(added));
  }
  co_return added;
}

template <class SoldOut>
Task<Outcome<Done>> SoldOutWriter::Remove(SoldOut row) {
  const auto& keys = context_.keys;
  ScriptArguments arguments;
  arguments.Key(keys.State()).Key(keys.Details(kSourceOf<SoldOut>));
  const auto boards = KeptBoards(row, context_.retention);
  for (const auto& window : boards) arguments.Key(keys.Board(window)).Key(keys.Exact(window));
  arguments.Arg(IdOf(row));
  for (const auto& window : boards) {
    const auto& board = BoardOf(window.board);
    arguments.Arg(MemberOf(board, IdOf(row))).Arg(ExactOrder(board, KeyOf(row)));
  }
  auto reply = co_await context_.client.Eval(RankingScripts::Get().remove, std::move(arguments));
  if (!reply) co_return UnavailableBoards(reply.error());
  co_return Done{};
}

template Task<Outcome<std::vector<AddedRow>>> SoldOutWriter::Add(std::vector<ConcertSoldOut> rows, Mode mode);
template Task<Outcome<std::vector<AddedRow>>> SoldOutWriter::Add(std::vector<ScheduleSoldOut> rows,
                                                                 Mode mode);
template Task<Outcome<Done>> SoldOutWriter::Remove(ConcertSoldOut row);
template Task<Outcome<Done>> SoldOutWriter::Remove(ScheduleSoldOut row);

}  // namespace maejin::redis
