#include <filesystem>
#include <optional>

#include <unistd.h>

#include "adapters/embedded/database.h"
#include "adapters/embedded/emergency_store.h"
#include "base/run_task.h"
#include "tests/contract/emergency_contract.h"

namespace maejin::embedded {
namespace {

class EmbeddedEmergency final : public EmergencyBed {
 public:
  EmbeddedEmergency() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Restart({});
  }
  ~EmbeddedEmergency() override {
    Stop();
    std::filesystem::remove_all(folder_);
  }
  EmergencyStore& store() override { return *store_; }
  void Restart(Time) override {
    Stop();
    journal_.emplace(OpenDatabase(path_));
    reader_.emplace(path_, Connection::Mode::kReadOnly);
    audit_.emplace(*reader_, *journal_);
    store_.emplace(*reader_, *journal_, *audit_);
  }
  std::int64_t BypassRows() {
    journal_->Flush();
    auto rows = reader_->Prepare("SELECT COUNT(*) FROM bypasses");
    rows.Step();
    return rows.Int(0);
  }
  std::vector<std::string> Audit() override {
    journal_->Flush();
    std::vector<std::string> actions;
    auto rows = reader_->Prepare("SELECT action FROM audit ORDER BY id");
    while (rows.Step()) actions.emplace_back(rows.Text(0));
    return actions;
  }

 private:
  void Stop() {
    store_.reset();
    audit_.reset();
    reader_.reset();
    journal_.reset();
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("maejin-emergency-" + std::to_string(getpid()));
  const std::string path_ = (folder_ / "maejin.db").string();
  std::optional<Journal> journal_;
  std::optional<Connection> reader_;
  std::optional<AuditLog> audit_;
  std::optional<EmbeddedEmergencyStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Embedded, EmergencyContract,
                         testing::Values(EmergencyBedFactory{
                             "embedded", [] { return std::make_unique<EmbeddedEmergency>(); }}),
                         [](const auto& bed) { return bed.param.name; });

TEST(EmbeddedEmergencyRows, BypassThatNoFanUsedIsDeletedOnceItHasPassed) {
  const auto now = *ParseTime("2026-01-02T12:00:00.123Z");
  EmbeddedEmergency bed;
  ASSERT_TRUE(RunTask(bed.store().StartBypass({"42", now + Seconds{60}, Seconds{600}}, {"ops", now})).ok());
  bed.store().Prune(now + Seconds{59});
  EXPECT_EQ(bed.BypassRows(), 1);
  bed.store().Prune(now + Seconds{60});
  EXPECT_EQ(bed.BypassRows(), 0);
}

}  // namespace
}  // namespace maejin::embedded
