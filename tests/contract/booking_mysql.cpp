// The booking contract over MariaDB.
#include <optional>

#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/booking_store.h"
#include "adapters/mysql/event_feed.h"
#include "adapters/mysql/migrations.h"
#include "adapters/mysql/outbox.h"
#include "tests/contract/booking_contract.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/read_outbox.h"

namespace maejin {
namespace {

class MysqlUnderTest final : public BookingStoreUnderTest {
 public:
  MysqlUnderTest() {
    mysql::Connection connection(server_);
    mysql::Migrate(connection);
    Start(Time{});
  }

  BookingStore& store() override { return *store_; }
  BookingOperations* operations() override { return &*store_; }
  void Restart(Time now) override {
    store_.reset();
    pool_.reset();
    Start(now);
  }
  std::vector<BookingEvent> Events() override {
    mysql::Connection connection(server_);
    return testing_support::ReadOutbox(connection, 100'000);
  }

  std::vector<Event> Feed() override {
    mysql::MysqlEventFeed feed(*pool_);
    feed.NumberEvents();
    return ReadWholeFeed(feed);
  }

  std::vector<AuditRow> Audit() override {
    mysql::MysqlAuditStore audit(*pool_);
    return *RunTask(audit.Page(std::nullopt, 100));
  }

 private:
  void Start(Time now) {
    pool_.emplace(server_, mysql::PoolOptions{4, 64, Seconds{60}});
    store_.emplace(*pool_, random_);
    EXPECT_TRUE(store_->Load(now).ok());
  }

  mysql::ServerOptions server_ = testing_support::FreshDatabase();
  SystemRandom random_;
  std::optional<mysql::Pool> pool_;
  std::optional<mysql::MysqlBookingStore> store_;
};

INSTANTIATE_TEST_SUITE_P(MariaDb, BookingContract,
                         testing::Values(BookingStoreFactory{
                             "mariadb", [] { return std::make_unique<MysqlUnderTest>(); }}),
                         [](const auto& suite) { return suite.param.name; });

INSTANTIATE_TEST_SUITE_P(MariaDb, BookingOperationsContract,
                         testing::Values(BookingStoreFactory{
                             "mariadb", [] { return std::make_unique<MysqlUnderTest>(); }}),
                         [](const auto& suite) { return suite.param.name; });

}  // namespace
}  // namespace maejin
