// The embedded booking store on a temporary database, for tests.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include <unistd.h>

#include "adapters/embedded/audit_reader.h"
#include "adapters/embedded/booking_store.h"
#include "adapters/embedded/database.h"
#include "adapters/embedded/event_reader.h"
#include "tests/contract/booking_contract.h"

namespace maejin {

class EmbeddedBookingUnderTest final : public BookingStoreUnderTest {
 public:
  EmbeddedBookingUnderTest() {
    static std::atomic<int> count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("maejin-booking-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    Start(Time{});
  }
  ~EmbeddedBookingUnderTest() override {
    store_.reset();
    journal_.reset();
    std::filesystem::remove_all(folder_);
  }

  BookingStore& store() override { return *store_; }
  BookingOperations* operations() override { return &*store_; }
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
  std::vector<Event> Feed() override {
    journal_->Flush();
    embedded::EventReader feed(*journal_, database());
    return ReadWholeFeed(feed);
  }
  std::vector<AuditRow> Audit() override {
    return *RunTask(embedded::AuditReader(database()).Page(std::nullopt, 100));
  }
  std::string database() const { return folder_ / "maejin.db"; }
  embedded::Journal& journal() { return *journal_; }
  embedded::AuditLog& audit() { return *audit_; }

 private:
  void Start(Time now) {
    auto connection = embedded::OpenDatabase(database());
    journal_.emplace(embedded::OpenDatabase(database()));
    journal_->Listen([this](std::span<const BookingEvent> events) {
      const std::lock_guard lock(mutex_);
      events_.insert(events_.end(), events.begin(), events.end());
    });
    audit_.emplace(connection, *journal_);
    store_.emplace(*journal_, *audit_, random_);
    store_->Load(connection, now);
  }

  std::filesystem::path folder_;
  SystemRandom random_;
  std::mutex mutex_;
  std::vector<BookingEvent> events_;  // guarded by mutex_
  std::optional<embedded::Journal> journal_;
  std::optional<embedded::AuditLog> audit_;
  std::optional<embedded::EmbeddedBookingStore> store_;
};

}  // namespace maejin
