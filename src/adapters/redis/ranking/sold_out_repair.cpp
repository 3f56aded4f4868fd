#include "adapters/redis/ranking/sold_out_repair.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "adapters/redis/ranking/rows.h"

namespace maejin::redis {
namespace {

constexpr std::size_t kRepairBatch = 500;
constexpr std::int64_t kRowsPerReconcile = 5000;
constexpr std::int64_t kNoLimit = INT64_MAX;

}  // namespace

template <class SoldOut>
Task<Outcome<SoldOutRepair::RowPass>> SoldOutRepair::RepairRows(RowPass pass, std::int64_t limit) {
  while (!pass.ended && pass.checked < limit) {
    auto rows = co_await RowsAfter<SoldOut>(context_.history, pass.after, kRepairBatch);
    if (!rows.ok()) co_return rows.error();
    pass.ended = rows->size() < kRepairBatch;
    pass.checked += static_cast<std::int64_t>(rows->size());
    if (rows->empty()) break;
    pass.after = IdOf(rows->back());
    pass.drift += context_.rows.Refresh(*rows);
    const auto added = co_await writer_.Add(std::move(*rows));
    if (!added.ok()) co_return added.error();
    pass.drift += std::count_if(added->begin(), added->end(),
                                [](const auto result) { return result != AddedRow::kKnown; });
  }
  co_return pass;
}

Task<Outcome<std::vector<BoardWindow>>> SoldOutRepair::KeptWindows(BoardSource source) {
  auto reply =
      co_await context_.client.Call(Command("ZRANGE").Key(context_.keys.Windows()).Word("0").Word("-1"));
  if (!reply) co_return Refusal::kUnavailable;
  std::set<BoardWindow> kept;
  for (const auto& name : DecodeTexts(std::move(*reply))) {
    const auto window = ParseWindowName(name);
    if (window && BoardOf(window->board).source == source) kept.insert(*window);
  }
  // Another program may have created a board of a window without any row in the database. So the windows of
  // all days are added, from tomorrow (clocks differ) back to the end of the retention. For boards without
  // retention: back for a year.
  for (const auto& board : Boards()) {
    if (board.source != source) continue;
    for (int days = -1; days <= 366; ++days) {
      const auto day = context_.retention.now() - std::chrono::days{days};
      const BoardWindow window{board.id, WindowOf(board.window, day, context_.retention.zone())};
      const bool is_kept = context_.retention.IsKept(window);
      if (is_kept) kept.insert(window);
      if (board.window == WindowKind::kAll || (!is_kept && days > 0)) break;
    }
  }
  std::erase_if(kept, [&](const auto& window) { return !context_.retention.IsKept(window); });
  co_return std::vector<BoardWindow>(kept.begin(), kept.end());
}

// Reads the database after the members. In the other order, a row ranked between the reads would look like a
// member that the database does not have.
template <class SoldOut>
Task<Outcome<SoldOutRepair::MemberPass>> SoldOutRepair::RemoveForeignFrom(BoardWindow board,
                                                                          MemberPass pass) {
  const auto key = context_.keys.Board(board);
  auto reply =
      co_await context_.client.Call(Command("ZSCAN").Key(key).Word(pass.cursor).Word("COUNT").Word("1000"));
  if (!reply) co_return Refusal::kUnavailable;
  auto page = DecodeScan(std::move(*reply));
  pass.cursor = page.cursor;
  pass.checked += static_cast<std::int64_t>(page.rows.size());
  if (page.rows.empty()) co_return pass;
  std::vector<std::int64_t> ids;
  for (const auto& row : page.rows) {
    if (const auto id = IdOfMember(BoardOf(board.board), row.member)) ids.push_back(*id);
  }
  const auto rows = co_await RowsWith<SoldOut>(context_.history, std::move(ids));
  if (!rows.ok()) co_return rows.error();
  std::unordered_set<std::string> known;
  for (const auto& row : *rows) {
    if (WindowOf(board.window.kind, row.sold_out_at, context_.retention.zone()) == board.window)
      known.insert(MemberOf(BoardOf(board.board), IdOf(row)));
  }
  std::vector<std::string> foreign;
  for (auto& row : page.rows) {
    if (!known.contains(row.member)) foreign.push_back(std::move(row.member));
  }
  if (foreign.empty()) co_return pass;
  const auto removed = co_await writer_.RemoveMembers(board, std::move(foreign));
  if (!removed.ok()) co_return removed.error();
  pass.drift += *removed;
  co_return pass;
}

template <class SoldOut>
Task<Outcome<SoldOutRepair::MemberPass>> SoldOutRepair::RemoveForeign(MemberPass pass, std::int64_t limit) {
  const auto boards = co_await KeptWindows(kSourceOf<SoldOut>);
  if (!boards.ok()) co_return boards.error();
  for (const auto& board : *boards) {
    if (pass.board && board < *pass.board) continue;
    if (pass.board && board == *pass.board && pass.cursor == "0") continue;
    if (pass.checked >= limit) co_return pass;
    if (pass.board != board) pass.cursor = "0";
    pass.board = board;
    do {
      auto next = co_await RemoveForeignFrom<SoldOut>(board, pass);
      if (!next.ok()) co_return next.error();
      pass = std::move(*next);
    } while (pass.cursor != "0" && pass.checked < limit);
    if (pass.cursor != "0") co_return pass;
  }
  pass.ended = true;
  co_return pass;
}

// First removes the members that the database does not have: a capped board then has space for the rows that
// they displaced.
template <class SoldOut>
Task<Outcome<SoldOutRepair::Passes>> SoldOutRepair::Repair(Passes from, std::int64_t limit) {
  auto members = co_await RemoveForeign<SoldOut>(from.members, limit);
  if (!members.ok()) co_return members.error();
  auto rows = co_await RepairRows<SoldOut>(from.rows, limit);
  if (!rows.ok()) co_return rows.error();
  co_return Passes{*rows, std::move(*members)};
}

Task<Outcome<Done>> SoldOutRepair::RepairAll() {
  const Passes from_the_start;
  const auto concerts = co_await Repair<ConcertSoldOut>(from_the_start, kNoLimit);
  if (!concerts.ok()) co_return concerts.error();
  const auto schedules = co_await Repair<ScheduleSoldOut>(from_the_start, kNoLimit);
  if (!schedules.ok()) co_return schedules.error();
  co_return Done{};
}

template <class SoldOut>
Task<Outcome<ReconcileReport>> SoldOutRepair::RepairNextOf(Passes SoldOutRepair::* which) {
  Passes from;
  {
    const std::lock_guard lock(mutex_);
    const auto& last = this->*which;
    if (!last.rows.ended) from.rows.after = last.rows.after;
    if (!last.members.ended) {
      from.members.board = last.members.board;
      from.members.cursor = last.members.cursor;
    }
  }
  auto done = co_await Repair<SoldOut>(std::move(from), kRowsPerReconcile);
  if (!done.ok()) co_return done.error();
  const ReconcileReport report{.checked = done->rows.checked,
                               .drift = done->rows.drift + done->members.drift};
  const std::lock_guard lock(mutex_);
  this->*which = std::move(*done);
  co_return report;
}

Task<Outcome<ReconcileReport>> SoldOutRepair::RepairNext() {
  auto report = co_await RepairNextOf<ConcertSoldOut>(&SoldOutRepair::concerts_);
  if (!report.ok()) co_return report;
  const auto schedules = co_await RepairNextOf<ScheduleSoldOut>(&SoldOutRepair::schedules_);
  if (!schedules.ok()) co_return schedules.error();
  report->checked += schedules->checked;
  report->drift += schedules->drift;
  co_return report;
}

}  // namespace maejin::redis
