#include "adapters/redis/ranking/sold_out_repair.h"

#include "adapters/redis/ranking/rows.h"

namespace maejin::redis {
namespace {

using Mode = SoldOutWriter::Mode;

constexpr std::size_t kRepairBatch = 500;
constexpr std::int64_t kRowsPerReconcile = 5000;

}  // namespace

template <class SoldOut>
Task<Outcome<SoldOutRepair::Pass>> SoldOutRepair::RepairBatch(Pass pass, std::shared_ptr<Ids> seen) {
  auto rows = co_await RowsAfter<SoldOut>(context_.history, pass.after, kRepairBatch);
  if (!rows.ok()) co_return rows.error();
  pass.ended = rows->size() < kRepairBatch;
  pass.checked += static_cast<std::int64_t>(rows->size());
  if (!rows->empty()) pass.after = IdOf(rows->back());
  if (seen) {
    for (const auto& row : *rows) seen->insert(IdOf(row));
  }
  auto added = co_await writer_.Add(*rows, Mode::kRepair);
  if (!added.ok()) co_return added.error();
  std::vector<SoldOut> wrong;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const auto& result = (*added)[i];
    if (result.kind != AddedRow::Kind::kKnown) ++pass.drift;
    if (result.kind != AddedRow::Kind::kDiffers) continue;
    // The boards hold the row under the order of its wrong detail, if that can be read at all.
    auto stale = Unpack<SoldOut>(result.other).value_or((*rows)[i]);
    auto removed = co_await writer_.Remove(std::move(stale));
    if (!removed.ok()) co_return removed.error();
    wrong.push_back((*rows)[i]);
  }
  auto again = co_await writer_.Add(std::move(wrong), Mode::kRepair);
  if (!again.ok()) co_return again.error();
  co_return pass;
}

// A row of the boards that was not seen may have been written since: the database is asked again.
template <class SoldOut>
Task<Outcome<Done>> SoldOutRepair::RemoveExtras(std::shared_ptr<const Ids> known) {
  std::string cursor = "0";
  do {
    const auto key = context_.keys.Details(kSourceOf<SoldOut>);
    auto reply =
        co_await context_.client.Call(Command("HSCAN").Key(key).Word(cursor).Word("COUNT").Word("1000"));
    if (!reply) co_return Refusal::kUnavailable;
    const auto page = DecodeDetails(*reply);
    for (const auto& [id, detail] : page.rows) {
      if (known->contains(id)) continue;
      auto row = co_await RowsAfter<SoldOut>(context_.history, id - 1, 1);
      if (!row.ok()) co_return row.error();
      if (!row->empty() && IdOf(row->front()) == id) continue;
      if (auto extra = Unpack<SoldOut>(detail)) {
        auto removed = co_await writer_.Remove(std::move(*extra));
        if (!removed.ok()) co_return removed.error();
      }
    }
    cursor = page.cursor;
  } while (cursor != "0");
  co_return Done{};
}

template <class SoldOut>
Task<Outcome<Done>> SoldOutRepair::RepairKind() {
  const auto seen = std::make_shared<Ids>();
  Pass pass;
  while (!pass.ended) {
    auto next = co_await RepairBatch<SoldOut>(pass, seen);
    if (!next.ok()) co_return next.error();
    pass = *next;
  }
  auto removed = co_await RemoveExtras<SoldOut>(seen);
  co_return removed;
}

Task<Outcome<Done>> SoldOutRepair::RepairAll() {
  auto concerts = co_await RepairKind<ConcertSoldOut>();
  if (!concerts.ok()) co_return concerts.error();
  auto schedules = co_await RepairKind<ScheduleSoldOut>();
  co_return schedules;
}

template <class SoldOut>
Task<Outcome<SoldOutRepair::Pass>> SoldOutRepair::RepairSome(Pass pass) {
  while (!pass.ended && pass.checked < kRowsPerReconcile) {
    auto next = co_await RepairBatch<SoldOut>(pass, nullptr);
    if (!next.ok()) co_return next.error();
    pass = *next;
  }
  co_return pass;
}

Task<Outcome<ReconcileReport>> SoldOutRepair::RepairNext() {
  Pass from_concert;
  Pass from_schedule;
  {
    const std::lock_guard lock(mutex_);
    from_concert.after = concerts_.ended ? INT64_MIN : concerts_.after;
    from_schedule.after = schedules_.ended ? INT64_MIN : schedules_.after;
  }
  auto concerts = co_await RepairSome<ConcertSoldOut>(from_concert);
  if (!concerts.ok()) co_return concerts.error();
  auto schedules = co_await RepairSome<ScheduleSoldOut>(from_schedule);
  if (!schedules.ok()) co_return schedules.error();
  {
    const std::lock_guard lock(mutex_);
    concerts_ = *concerts;
    schedules_ = *schedules;
  }
  ReconcileReport report;
  report.checked = concerts->checked + schedules->checked;
  report.drift = concerts->drift + schedules->drift;
  co_return report;
}

}  // namespace maejin::redis
