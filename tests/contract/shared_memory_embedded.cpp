#include <filesystem>
#include <optional>

#include <unistd.h>

#include "adapters/embedded/admission_log.h"
#include "adapters/embedded/database.h"
#include "adapters/embedded/ranking_history.h"
#include "adapters/embedded/sale_series.h"
#include "adapters/embedded/sold_out_rows.h"
#include "tests/contract/shared_memory_contract.h"

namespace maejin::embedded {
namespace {

class EmbeddedSharedMemory final : public SharedMemoryBed {
 public:
  EmbeddedSharedMemory() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Start();
  }
  ~EmbeddedSharedMemory() override {
    Stop();
    std::filesystem::remove_all(folder_);
  }
  AdmissionLog& admissions() override { return *admissions_; }
  RankingHistory& history() override { return *history_; }
  SaleSeries& series() override { return *series_; }
  void SellOut(const ConcertSoldOut& concert, std::span<const ScheduleSoldOut> schedules) override {
    WriteSet rows;
    AddSoldOutRow(rows, concert);
    for (const auto& schedule : schedules) AddSoldOutRow(rows, schedule);
    journal_->Append(rows);
    journal_->Flush();
  }
  void Restart() override {
    Stop();
    Start();
  }

 private:
  void Start() {
    const auto path = (folder_ / "maejin.db").string();
    journal_.emplace(OpenDatabase(path));
    admissions_.emplace(*journal_, path);
    history_.emplace(*journal_, EmbeddedRankingHistory::Options{path, [] { return EventRelay::Backlog{}; }});
    series_.emplace(*journal_, path);
  }
  void Stop() {
    series_.reset();
    history_.reset();
    admissions_.reset();
    journal_.reset();
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("maejin-shared-memory-" + std::to_string(getpid()));
  std::optional<Journal> journal_;
  std::optional<EmbeddedAdmissionLog> admissions_;
  std::optional<EmbeddedRankingHistory> history_;
  std::optional<EmbeddedSaleSeries> series_;
};

}  // namespace
}  // namespace maejin::embedded

namespace maejin {

INSTANTIATE_TEST_SUITE_P(Embedded, SharedMemoryContract,
                         testing::Values(SharedMemoryBedFactory{
                             "Embedded", [] { return std::make_unique<embedded::EmbeddedSharedMemory>(); }}),
                         [](const auto& bed) { return bed.param.name; });

}  // namespace maejin
