#include "usecase/import_soldouts.h"

#include <set>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/started_task.h"

namespace maejin {
namespace {

bool Before(Time sold_out_at, Time opening) { return sold_out_at < opening; }

}  // namespace

void CountDates(SoldOutHistory& history) {
  auto& concert = history.concert;
  concert.dates = static_cast<std::int64_t>(history.schedules.size());
  concert.seats = 0;
  for (const auto& schedule : history.schedules) concert.seats += schedule.seats;
}

std::optional<std::string_view> HistoryError(const SoldOutHistory& history, Time now) {
  const auto& concert = history.concert;
  if (history.schedules.empty()) return "no-schedules";
  if (Before(concert.sold_out_at, concert.booking_open_at)) return "sold-out-before-opening";
  if (concert.sold_out_at > now) return "sold-out-in-future";
  std::set<ScheduleId> ids;
  for (const auto& schedule : history.schedules) {
    if (schedule.schedule != 0 && !ids.insert(schedule.schedule).second) return "schedule-taken";
    if (schedule.seats <= 0) return "no-seats";
    if (Before(schedule.sold_out_at, schedule.started_at)) return "sold-out-before-opening";
    if (schedule.sold_out_at > concert.sold_out_at) return "schedule-after-concert";
  }
  return {};
}

Task<Outcome<Done>> ImportSoldOuts::Take(std::int64_t line, SoldOutHistory history) {
  CountDates(history);
  if (const auto error = HistoryError(history, clock_.Now())) {
    Reject(line, std::string(*error));
    co_return Done{};
  }
  batch_.push_back(std::move(history));
  lines_.push_back(line);
  if (batch_.size() < kBatch) co_return Done{};
  auto written = co_await WriteBatch();
  co_return written;
}

void ImportSoldOuts::Reject(std::int64_t line, std::string code, std::string field) {
  ++report_.rejected_count;
  if (report_.rejected.size() < ImportReport::kListed) {
    report_.rejected.push_back({line, std::move(code), std::move(field)});
  }
}

Task<Outcome<Done>> ImportSoldOuts::WriteBatch() {
  auto settled = co_await FinishWrite();
  if (!settled) co_return settled.error();
  const auto executor = co_await boost::asio::this_coro::executor;
  writing_ = std::make_shared<StartedTask<Outcome<std::vector<Imported>>>>(
      executor, store_.Import(std::exchange(batch_, {})));
  written_lines_ = std::exchange(lines_, {});
  co_return Done{};
}

Task<Outcome<Done>> ImportSoldOuts::FinishWrite() {
  if (!writing_) co_return Done{};
  const auto imported = co_await writing_->Fetch();
  writing_.reset();
  if (!imported) co_return imported.error();
  for (std::size_t i = 0; i < imported->size(); ++i) {
    if ((*imported)[i] == Imported::kScheduleTaken) {
      Reject(written_lines_[i], "schedule-taken");
    } else {
      ++((*imported)[i] == Imported::kNew ? report_.imported : report_.skipped);
    }
  }
  co_return Done{};
}

Task<Outcome<ImportReport>> ImportSoldOuts::Finish() {
  if (!batch_.empty()) {
    const auto written = co_await WriteBatch();
    if (!written) co_return written.error();
  }
  const auto settled = co_await FinishWrite();
  if (!settled) co_return settled.error();
  co_return report_;
}

}  // namespace maejin
