#include <filesystem>
#include <optional>

#include <unistd.h>

#include "adapters/embedded/database.h"
#include "adapters/embedded/waiting_room/waiting_room_store.h"
#include "tests/contract/waiting_room_contract.h"

namespace maejin::embedded {
namespace {

class EmbeddedWaitingRoomBed final : public WaitingRoomBed {
 public:
  explicit EmbeddedWaitingRoomBed(Time now) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Start(now);
  }
  ~EmbeddedWaitingRoomBed() override {
    Stop();
    std::filesystem::remove_all(folder_);
  }
  maejin::WaitingRoomStore& store() override { return *store_; }
  void Restart(Time now) override {
    Stop();
    Start(now);
  }

 private:
  void Start(Time now) {
    const std::string path = folder_ / "test.db";
    journal_.emplace(OpenDatabase(path));
    Connection reader(path, Connection::Mode::kReadOnly);
    audit_.emplace(reader, *journal_);
    store_.emplace(reader, *journal_, *audit_, random_, now);
  }
  void Stop() {
    store_.reset();
    audit_.reset();
    journal_.reset();
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("maejin-rooms-" + std::to_string(getpid()));
  SeededRandom random_{7};
  std::optional<Journal> journal_;
  std::optional<AuditLog> audit_;
  std::optional<WaitingRoomStore> store_;
};

}  // namespace
}  // namespace maejin::embedded

namespace maejin {

INSTANTIATE_TEST_SUITE_P(
    Embedded, WaitingRoomContract,
    testing::Values(WaitingRoomBedFactory{
        "Embedded", [](Time now) { return std::make_unique<embedded::EmbeddedWaitingRoomBed>(now); }}),
    [](const auto& bed) { return bed.param.name; });

}  // namespace maejin
