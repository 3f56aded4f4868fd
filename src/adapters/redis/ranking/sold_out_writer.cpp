#include "adapters/redis/ranking/sold_out_writer.h"

#include <algorithm>
#include <map>
#include <span>

#include "adapters/redis/ranking/rows.h"
#include "adapters/redis/ranking/scripts.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

// Limit of the rows in one script: a longer script would delay Redis's other clients.
constexpr std::size_t kRowsPerScript = 100;
// The keys of ranking_add.lua before the boards.
constexpr int kFixedAddKeys = 2;

Refused UnavailableBoards(const RedisError& error) {
  if (error.kind == RedisError::Kind::kRefused) LogError("redis: rankings: {}", error.text);
  return Refusal::kUnavailable;
}

template <class SoldOut>
ScriptArguments AddArguments(const RankingContext& context, std::span<const SoldOut> rows) {
  const auto& keys = context.keys;
  ScriptArguments arguments;
  arguments.Key(keys.State()).Key(keys.Windows());
  std::map<BoardWindow, int> key_index;  // from 1, as Lua counts
  std::vector<std::vector<BoardWindow>> boards;
  for (const auto& row : rows) {
    boards.push_back(KeptBoards(row, context.retention));
    for (const auto& window : boards.back()) {
      const auto next = kFixedAddKeys + 1 + static_cast<int>(key_index.size());
      if (key_index.try_emplace(window, next).second) arguments.Key(keys.Board(window));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    arguments.Arg(boards[i].size());
    for (const auto& window : boards[i]) {
      const auto& board = BoardOf(window.board);
      const auto key = KeyOf(rows[i]);
      arguments.Arg(key_index[window]).Arg(ScoreOf(board, key)).Arg(MemberOf(board, key.id));
      arguments.Arg(context.retention.ExpiryText(window)).Arg(board.cap).Arg(WindowName(window));
      const bool ends = window.window.kind != WindowKind::kAll;
      arguments.Arg(ends ? DayNumber(DayAfter(window.window)) : 0).Arg(RankingKeys::BuiltField(window));
    }
  }
  return arguments;
}

}  // namespace

template <class SoldOut>
Task<Outcome<std::vector<AddedRow>>> SoldOutWriter::Add(std::vector<SoldOut> rows) {
  std::vector<AddedRow> added;
  for (std::size_t at = 0; at < rows.size(); at += kRowsPerScript) {
    const auto some = std::span<const SoldOut>(rows).subspan(at, std::min(kRowsPerScript, rows.size() - at));
    auto arguments = AddArguments(context_, some);
    auto reply = co_await context_.client.Eval(RankingScripts::Get().add, std::move(arguments));
    if (!reply) co_return UnavailableBoards(reply.error());
    const auto decoded = DecodeAdd(*reply);
    added.insert(added.end(), decoded.begin(), decoded.end());
  }
  co_return added;
}

template <class SoldOut>
Task<Outcome<Done>> SoldOutWriter::Remove(SoldOut row) {
  ScriptArguments arguments;
  arguments.Key(context_.keys.State());
  const auto boards = KeptBoards(row, context_.retention);
  for (const auto& window : boards) arguments.Key(context_.keys.Board(window));
  for (const auto& window : boards) arguments.Arg(MemberOf(BoardOf(window.board), IdOf(row)));
  auto reply = co_await context_.client.Eval(RankingScripts::Get().remove, std::move(arguments));
  if (!reply) co_return UnavailableBoards(reply.error());
  co_return Done{};
}

Task<Outcome<std::int64_t>> SoldOutWriter::RemoveMembers(BoardWindow board,
                                                         std::vector<std::string> members) {
  ScriptArguments arguments;
  arguments.Key(context_.keys.State());
  for (std::size_t i = 0; i < members.size(); ++i) arguments.Key(context_.keys.Board(board));
  for (const auto& member : members) arguments.Arg(member);
  auto reply = co_await context_.client.Eval(RankingScripts::Get().remove, std::move(arguments));
  if (!reply) co_return UnavailableBoards(reply.error());
  co_return reply->AsInteger();
}

template Task<Outcome<std::vector<AddedRow>>> SoldOutWriter::Add(std::vector<ConcertSoldOut> rows);
template Task<Outcome<std::vector<AddedRow>>> SoldOutWriter::Add(std::vector<ScheduleSoldOut> rows);
template Task<Outcome<Done>> SoldOutWriter::Remove(ConcertSoldOut row);
template Task<Outcome<Done>> SoldOutWriter::Remove(ScheduleSoldOut row);

}  // namespace maejin::redis
