// The writing half of the rankings in Redis: what booking tells is ranked, and told on.
#include "adapters/redis/ranking/ranking_store.h"

#include <algorithm>

#include "adapters/redis/ranking/rows.h"
#include "adapters/redis/ranking/scripts.h"
#include "base/log.h"
#include "domain/ranking/import_ids.h"

namespace maejin::redis {
namespace {

// Ranked by one script: few enough that nobody waits long for Redis.
constexpr std::size_t kRowsAtOnce = 100;
// So many events may come before one that is older.
constexpr int kEarlyEvents = 65536;
// A window is read from the database a little before its key expires.
constexpr std::chrono::minutes kBeforeExpiry{1};

Refused Unavailable(const RedisError& error) {
  if (error.kind == RedisError::Kind::kRefused) LogError("redis: rankings: {}", error.text);
  return Refusal::kUnavailable;
}

}  // namespace

RankingStore::RankingStore(Client& client, RankingHistory& history, Random& random,
                           RankingStoreOptions options)
    : client_(client),
      history_(history),
      options_(options),
      keys_(client.address().topology == Topology::kCluster),
      from_database_(history, options.zone),
      node_(std::to_string(random.Next64())),
      now_ms_(ToMillis(options.now)),
      random_(random) {}

RankingStore::~RankingStore() {
  movements_ = {};
  errands_->Close();
}

bool RankingStore::IsKept(const BoardWindow& board) const {
  if (board.window.kind == WindowKind::kAll) return true;
  const auto pruned = pruned_before_.load(std::memory_order_relaxed);
  const bool sold_outs = BoardOf(board.board).source != BoardSource::kProgress;
  if (sold_outs && std::chrono::sys_days{DayAfter(board.window)}.time_since_epoch().count() <= pruned)
    return false;
  const auto expiry = ExpiryOf(BoardOf(board.board), board.window, options_.zone);
  return !expiry || *expiry > TimeFromMillis(now_ms_.load(std::memory_order_relaxed)) + kBeforeExpiry;
}

std::string RankingStore::ExpiryText(const BoardWindow& board) const {
  const auto expiry = ExpiryOf(BoardOf(board.board), board.window, options_.zone);
  return expiry && options_.expire ? std::to_string(ToMillis(*expiry)) : "0";
}

template <class SoldOut>
std::vector<BoardWindow> RankingStore::KeptBoards(const SoldOut& sold_out) const {
  std::vector<BoardWindow> kept;
  ForEachBoardOf(sold_out, options_.zone, [&](const Board&, const BoardWindow& window) {
    if (IsKept(window)) kept.push_back(window);
  });
  return kept;
}

template <class SoldOut>
ScriptArguments RankingStore::AddArguments(std::span<const SoldOut> rows, bool repair) const {
  ScriptArguments arguments;
  arguments.Key(keys_.State()).Key(keys_.Details(kSourceOf<SoldOut>)).Key(keys_.Windows());
  std::map<BoardWindow, int> index;
  std::vector<std::vector<BoardWindow>> boards;
  for (const auto& row : rows) {
    boards.push_back(KeptBoards(row));
    for (const auto& window : boards.back()) {
      if (!index.try_emplace(window, 4 + 2 * static_cast<int>(index.size())).second) continue;
      arguments.Key(keys_.Board(window)).Key(keys_.Exact(window));
    }
  }
  arguments.Arg(repair ? 1 : 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    arguments.Arg(IdOf(rows[i])).Arg(PackDetail(rows[i])).Arg(boards[i].size());
    for (const auto& window : boards[i]) {
      const auto& board = BoardOf(window.board);
      const auto key = KeyOf(rows[i]);
      arguments.Arg(index[window]).Arg(ScoreOf(board, key)).Arg(MemberOf(board, key.id));
      arguments.Arg(ExactOrder(board, key)).Arg(ExpiryText(window)).Arg(board.cap);
      arguments.Arg(WindowName(window));
      const bool ends = window.window.kind != WindowKind::kAll;
      arguments.Arg(ends ? std::chrono::sys_days{DayAfter(window.window)}.time_since_epoch().count() : 0);
    }
  }
  return arguments;
}

template <class SoldOut>
Task<Outcome<std::vector<Reply>>> RankingStore::Add(std::vector<SoldOut> rows, bool repair) {
  std::vector<Reply> told;
  for (std::size_t at = 0; at < rows.size(); at += kRowsAtOnce) {
    const auto some = std::span<const SoldOut>(rows).subspan(at, std::min(kRowsAtOnce, rows.size() - at));
    auto arguments = AddArguments(some, repair);
    auto reply = co_await client_.Eval(RankingScripts::Get().add, std::move(arguments));
    if (!reply) co_return Unavailable(reply.error());
    for (auto& element : reply->elements) told.push_back(std::move(element));
  }
  co_return told;
}

template Task<Outcome<std::vector<Reply>>> RankingStore::Add(std::vector<ConcertSoldOut> rows, bool repair);
template Task<Outcome<std::vector<Reply>>> RankingStore::Add(std::vector<ScheduleSoldOut> rows, bool repair);

template <class SoldOut>
Task<Outcome<Done>> RankingStore::Remove(SoldOut row) {
  ScriptArguments arguments;
  arguments.Key(keys_.State()).Key(keys_.Details(kSourceOf<SoldOut>));
  const auto boards = KeptBoards(row);
  for (const auto& window : boards) arguments.Key(keys_.Board(window)).Key(keys_.Exact(window));
  arguments.Arg(IdOf(row));
  for (const auto& window : boards) {
    const auto& board = BoardOf(window.board);
    arguments.Arg(MemberOf(board, IdOf(row))).Arg(ExactOrder(board, KeyOf(row)));
  }
  auto reply = co_await client_.Eval(RankingScripts::Get().remove, std::move(arguments));
  if (!reply) co_return Unavailable(reply.error());
  co_return Done{};
}

template Task<Outcome<Done>> RankingStore::Remove(ConcertSoldOut row);
template Task<Outcome<Done>> RankingStore::Remove(ScheduleSoldOut row);

template <class SoldOut>
Task<Outcome<Done>> RankingStore::ApplySoldOuts(std::vector<SoldOut> rows, std::vector<bool> tell) {
  if (rows.empty()) co_return Done{};
  from_database_.Forget();
  auto told = co_await Add(rows, false);
  if (!told.ok()) co_return told.error();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (tell[i] && (*told)[i].AsInteger() == 1) co_await Tell(rows[i], true);
  }
  co_return Done{};
}

Task<Outcome<Done>> RankingStore::Apply(std::vector<BookingEvent> events) {
  std::vector<ConcertSoldOut> concerts;
  std::vector<ScheduleSoldOut> schedules;
  std::vector<bool> tell_concerts;
  std::vector<bool> tell_schedules;
  for (const auto& event : events) {
    // Imported history has no event of its own, and is no news.
    if (const auto* concert = std::get_if<ConcertSoldOut>(&event.fact)) {
      concerts.push_back(*concert);
      tell_concerts.push_back(event.id != 0);
    } else if (const auto* schedule = std::get_if<ScheduleSoldOut>(&event.fact)) {
      schedules.push_back(*schedule);
      tell_schedules.push_back(event.id != 0);
    }
  }
  auto ranked = co_await ApplySoldOuts(std::move(concerts), std::move(tell_concerts));
  if (!ranked.ok()) co_return ranked;
  ranked = co_await ApplySoldOuts(std::move(schedules), std::move(tell_schedules));
  if (!ranked.ok()) co_return ranked;
  auto counted = co_await ApplyProgress(std::move(events));
  co_return counted;
}

Task<Outcome<Done>> RankingStore::ApplyProgress(std::vector<BookingEvent> events) {
  std::erase_if(events,
                [](const auto& event) { return !std::holds_alternative<ProgressChanged>(event.fact); });
  for (std::size_t at = 0; at < events.size(); at += kRowsAtOnce) {
    const auto some =
        std::span<const BookingEvent>(events).subspan(at, std::min(kRowsAtOnce, events.size() - at));
    auto arguments = ProgressArguments(some);
    auto reply = co_await client_.Eval(RankingScripts::Get().progress, std::move(arguments));
    if (!reply) co_return Unavailable(reply.error());
    // A rebuild is counting: they come again.
    if (reply->AsInteger() < 0) co_return Refusal::kUnavailable;
  }
  co_return Done{};
}

ScriptArguments RankingStore::ProgressArguments(std::span<const BookingEvent> events) const {
  ScriptArguments arguments;
  arguments.Key(keys_.State()).Key(keys_.Applied()).Key(keys_.Dates()).Key(keys_.Fence());
  std::map<BoardWindow, int> index;
  std::vector<std::vector<BoardWindow>> boards;
  for (const auto& event : events) {
    boards.push_back(ProgressBoardsOf(std::get<ProgressChanged>(event.fact)));
    for (const auto& window : boards.back()) {
      if (!index.try_emplace(window, 5 + 2 * static_cast<int>(index.size())).second) continue;
      arguments.Key(keys_.Board(window)).Key(keys_.Exact(window));
    }
  }
  arguments.Arg(kEarlyEvents);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& change = std::get<ProgressChanged>(events[i].fact);
    arguments.Arg(events[i].id).Arg(change.schedule).Arg(FormatDate(change.concert_date)).Arg(change.seats);
    arguments.Arg(boards[i].size());
    for (const auto& window : boards[i]) {
      const auto& board = BoardOf(window.board);
      const auto member = ProgressMember(board, change);
      arguments.Arg(index[window]).Arg(member).Arg(ProgressSort(board, member)).Arg(ExpiryText(window));
    }
  }
  return arguments;
}

std::vector<BoardWindow> RankingStore::ProgressBoardsOf(const ProgressChanged& change) const {
  std::vector<BoardWindow> kept;
  const auto day = options_.zone.LocalDay(change.held_at);
  for (const auto& board : Boards()) {
    const BoardWindow window{board.id, WindowOf(board.window, day)};
    if (board.source == BoardSource::kProgress && IsKept(window)) kept.push_back(window);
  }
  return kept;
}

Task<Outcome<bool>> RankingStore::TellOf(std::string database) {
  auto name = Command("SETNX").Key(keys_.Owner()).Word(database);
  const auto named = co_await client_.Call(std::move(name));
  if (!named.ok()) co_return Refusal::kUnavailable;
  auto ask = Command("GET").Key(keys_.Owner());
  const auto owner = co_await client_.Call(std::move(ask));
  if (!owner.ok()) co_return Refusal::kUnavailable;
  co_return owner->text == database;
}

Task<Outcome<std::vector<Imported>>> RankingStore::Import(std::vector<SoldOutHistory> histories) {
  for (auto& history : histories) GiveIds(history);
  auto imported = co_await history_.Import(histories);
  if (!imported.ok()) co_return imported.error();
  std::vector<BookingEvent> events;
  for (std::size_t i = 0; i < histories.size(); ++i) {
    if ((*imported)[i] != Imported::kNew) continue;
    events.push_back({0, std::move(histories[i].concert)});
    for (auto& schedule : histories[i].schedules) events.push_back({0, schedule});
  }
  // Where Redis is away they are in the database all the same, and ranked by the next reconciliation.
  [[maybe_unused]] const auto ranked = co_await Apply(std::move(events));
  co_return imported;
}

// News, here and on the other nodes.

void RankingStore::OnMovement(std::function<void(const RankingMovement&)> listener) {
  movement_ = std::move(listener);
  movements_ = client_.Subscribe(keys_.Movements(), [this, errands = errands_](const std::string* message) {
    if (message == nullptr || message->starts_with(node_ + " ") || !errands->Begin()) return;
    client_.Spawn(HearOf(*message));
  });
}

Task<void> RankingStore::Tell(ConcertSoldOut sold_out, bool publish) {
  if (publish)
    client_.Send(Command("PUBLISH", keys_.Movements(), node_ + " c " + std::to_string(sold_out.concert)));
  if (!movement_) co_return;
  const auto ranks = co_await RanksOf(sold_out.concert);
  if (ranks.ok() && *ranks) movement_({Describe(sold_out, (*ranks)->all - 1), **ranks});
}

Task<void> RankingStore::Tell(ScheduleSoldOut sold_out, bool publish) {
  if (publish)
    client_.Send(Command("PUBLISH", keys_.Movements(), node_ + " s " + std::to_string(sold_out.schedule)));
  if (!movement_) co_return;
  const RankQuery query{
      {BoardId::kSchedulesMonthly, WindowOf(WindowKind::kMonthly, sold_out.sold_out_at, options_.zone)},
      sold_out.schedule,
      0};
  const auto month = co_await ScheduleRank(query);
  if (month.ok()) movement_({month->entries[0], {}});
}

// Another node has ranked something: "<node> c 42".
Task<void> RankingStore::HearOf(std::string message) {
  const auto space = message.find(' ');
  if (space != std::string::npos && message.size() > space + 3) {
    const auto id = std::strtoll(message.c_str() + space + 3, nullptr, 10);
    if (message[space + 1] == 'c') {
      const auto found = co_await Find<ConcertSoldOut>(id);
      if (found.ok() && *found) co_await Tell(**found, false);
    } else {
      const auto found = co_await Find<ScheduleSoldOut>(id);
      if (found.ok() && *found) co_await Tell(**found, false);
    }
  }
  errands_->End();
}

}  // namespace maejin::redis
