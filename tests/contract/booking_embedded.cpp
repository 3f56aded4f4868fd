// The booking contract over the embedded store.
#include <filesystem>
#include <mutex>
#include <optional>

#include <unistd.h>

#include "adapters/embedded/booking_store.h"
#include "adapters/embedded/database.h"
#include "tests/contract/booking_contract.h"

namespace maejin {
namespace {

class EmbeddedUnderTest final : public BookingStoreUnderTest {
 public:
  EmbeddedUnderTest() {
    static std::atomic<int> count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("maejin-booking-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    Start(Time{});
  }
  ~EmbeddedUnderTest() override {
    store_.reset();
    journal_.reset();
    std::filesystem::remove_all(folder_);
  }

  BookingStore& store() override { return *store_; }
  void Restart(Time now) override {
    store_.reset();
    journal_.reset();
    Start(now);
  }
  std::vector<BookingEvent> Events() override {
    journal_->Flush();
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  void Start(Time now) {
    auto connection = embedded::OpenDatabase(folder_ / "maejin.db");
    journal_.emplace(embedded::OpenDatabase(folder_ / "maejin.db"));
    journal_->Listen([this](std::span<const BookingEvent> events) {
      const std::lock_guard lock(mutex_);
      events_.insert(events_.end(), events.begin(), events.end());
    });
    store_.emplace(*journal_, random_);
    store_->Load(connection, now);
  }

  std::filesystem::path folder_;
  SystemRandom random_;
  std::mutex mutex_;
  std::vector<BookingEvent> events_;  // guarded by mutex_
  std::optional<embedded::Journal> journal_;
  std::optional<embedded::EmbeddedBookingStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Embedded, BookingContract,
                         testing::Values(BookingStoreFactory{
                             "embedded", [] { return std::make_unique<EmbeddedUnderTest>(); }}),
                         [](const auto& suite) { return suite.param.name; });

}  // namespace
}  // namespace maejin
