// Imports past sell-outs from another system, in batches: each one is checked, written once and ranked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/ranking_store.h"

namespace maejin {

template <class T>
class StartedTask;

struct ImportReport {
  struct Rejected {
    std::int64_t line = 0;  // row of the file, from 1
    std::string code;
    std::string field;  // the invalid field, or empty
  };
  std::int64_t imported = 0;
  std::int64_t skipped = 0;         // the concert was known already
  std::int64_t rejected_count = 0;  // `rejected` lists the first kListed
  std::vector<Rejected> rejected;

  static constexpr std::size_t kListed = 1000;
};

// Why a history is impossible, as a stable code; absent if it is possible.
// "sold-out-before-opening", "sold-out-in-future", "schedule-after-concert", "no-schedules", "no-seats".
std::optional<std::string_view> HistoryError(const SoldOutHistory& history, Time now);

// Counts the concert's dates and seats from its schedules.
void CountDates(SoldOutHistory& history);

// One import. Not thread-safe; used by one task.
class ImportSoldOuts {
 public:
  ImportSoldOuts(RankingStore& store, const Clock& clock) : store_(store), clock_(clock) {}

  // Adds one row of the file; counts the concert's dates and seats from its schedules. Refuses: kUnavailable.
  // After a refusal some earlier rows may be missing: import the whole file again.
  Task<Outcome<Done>> Take(std::int64_t line, SoldOutHistory history);
  // Reports a row that could not be parsed.
  void Reject(std::int64_t line, std::string code, std::string field = {});
  // Writes the last batch and returns the report.
  Task<Outcome<ImportReport>> Finish();
  // The rows whose result is known so far.
  const ImportReport& report() const { return report_; }

 private:
  // One commit per batch. Unordered sell-outs touch most pages of the time index at every commit, so a large
  // batch writes each page less often. A larger batch than this would delay other commits.
  static constexpr std::size_t kBatch = 16384;

  // Starts writing the batch when the previous one is written. The caller reads the next batch during the
  // write.
  Task<Outcome<Done>> WriteBatch();
  // Waits for the batch in flight, if any.
  Task<Outcome<Done>> FinishWrite();

  RankingStore& store_;
  const Clock& clock_;
  std::vector<SoldOutHistory> batch_;
  std::vector<std::int64_t> lines_;          // row numbers of batch_
  std::vector<std::int64_t> written_lines_;  // row numbers of the batch in flight
  std::shared_ptr<StartedTask<Outcome<std::vector<Imported>>>> writing_;
  ImportReport report_;
};

}  // namespace maejin
