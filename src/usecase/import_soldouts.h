// Takes over sell-outs from elsewhere, as many as there are, in groups: each is checked, written once and
// ranked.
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
    std::int64_t line = 0;  // from 1
    std::string code;
    std::string field;  // what about it, or empty
  };
  std::int64_t imported = 0;
  std::int64_t skipped = 0;         // there already
  std::int64_t rejected_count = 0;  // of which the first kListed are listed
  std::vector<Rejected> rejected;

  static constexpr std::size_t kListed = 1000;
};

// Why a history cannot be true, as a stable code; absent: nothing is wrong with it.
// "sold-out-before-opening", "sold-out-in-future", "schedule-after-concert", "no-schedules", "no-seats".
std::optional<std::string_view> FlawOf(const SoldOutHistory& history, Time now);

// One import. Not thread-safe; used by one task.
class ImportSoldOuts {
 public:
  ImportSoldOuts(RankingStore& store, const Clock& clock) : store_(store), clock_(clock) {}

  // Takes one line; the concert's dates and seats are counted here, from its schedules. Refuses: kUnavailable
  // (then what was taken so far may be imported or not: import it again).
  Task<Outcome<Done>> Take(std::int64_t line, SoldOutHistory history);
  // A line that could not even be read.
  void Reject(std::int64_t line, std::string code, std::string field = {});
  // Writes what is left and tells what came of it.
  Task<Outcome<ImportReport>> Finish();

 private:
  // One commit a group. Sell-outs in no order touch most pages of the index on their time at every commit:
  // large groups write those pages less often; larger ones would keep other commits waiting.
  static constexpr std::size_t kGroup = 16384;

  // Hands the group over as soon as the one before it is written: while the disk works, the next is read.
  Task<Outcome<Done>> WriteGroup();
  // Waits for the group under way, if there is one.
  Task<Outcome<Done>> Settle();

  RankingStore& store_;
  const Clock& clock_;
  std::vector<SoldOutHistory> group_;
  std::vector<std::int64_t> lines_;          // of the group
  std::vector<std::int64_t> written_lines_;  // of the one under way
  std::shared_ptr<StartedTask<Outcome<std::vector<Imported>>>> writing_;
  ImportReport report_;
};

}  // namespace maejin
