// One rehearsal: a concert of its own, a crowd that buys it, the audit, and the clearing away.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/http_client.h"
#include "cli/common/signals.h"
#include "cli/fans/crowd.h"
#include "cli/fans/progress_line.h"
#include "cli/rehearsal/preflight.h"
#include "cli/rehearsal/report.h"

namespace maejin::cli {

class Rehearsal {
 public:
  // `progress`: where the line of progress goes. The signals outlive the rehearsal.
  Rehearsal(const StopSignals& signals, HttpClient admin, RehearsalPlan plan, Clearance clearance,
            std::FILE* progress);

  // To the end: sold out, out of patience, or a signal. The error is a sentence: there was no concert to sell.
  Result<RehearsalReport, std::string> Run();

 private:
  Result<Time, std::string> ServersNow();
  std::optional<std::string> CreateConcert();
  void LetThemIn();
  // Why it ended before it was sold out; empty: it is sold out.
  std::string Watch();
  bool SeesSoldOut();
  void SendHome();
  void ReadBooks();
  std::string ClearAway();
  Tally Together() const;

  const StopSignals& signals_;
  HttpClient admin_;
  Clearance clearance_;
  std::FILE* progress_;
  Stage stage_;
  RehearsalReport report_;
  Moment opening_{};
  bool interrupted_ = false;
  std::int64_t most_entered_ = 0;
  std::int64_t samples_ = 0;
  std::vector<std::unique_ptr<Ledger>> ledgers_;  // one for each crowd
  std::vector<std::unique_ptr<Crowd>> crowds_;
};

}  // namespace maejin::cli
