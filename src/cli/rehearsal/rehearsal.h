// One rehearsal: creates a concert, runs a crowd that buys it, audits the result, and cleans up.
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
  // Progress is written to `progress`. The signals outlive the rehearsal.
  Rehearsal(const StopSignals& signals, HttpClient admin, RehearsalPlan plan, PreflightResult preflight,
            std::FILE* progress);

  // Runs until the sell-out, the time limit or a signal. The error is a sentence: the concert could not be
  // created.
  Result<RehearsalReport, std::string> Run();

 private:
  Result<Time, std::string> ServersNow();
  std::optional<std::string> CreateConcert();
  void StartCrowds();
  // Why the sale ended before the sell-out; empty if sold out.
  std::string WaitUntilSoldOut();
  bool PollSoldOut();
  void StopCrowds();
  void AuditServerState();
  std::string ReadSaleReport(std::string_view format);
  void WriteSaleReport();
  void ShowJsonProgress(std::string_view phase);
  std::string CleanUp();
  CrowdSnapshot Snapshot() const;

  const StopSignals& signals_;
  HttpClient admin_;
  PreflightResult preflight_;
  std::FILE* progress_;
  SimulatedSale sale_;
  RehearsalReport report_;
  Moment opening_{};
  bool interrupted_ = false;
  std::int64_t most_entered_ = 0;
  std::int64_t samples_ = 0;
  std::vector<std::unique_ptr<Ledger>> ledgers_;  // one for each crowd
  std::vector<std::unique_ptr<Crowd>> crowds_;
};

}  // namespace maejin::cli
