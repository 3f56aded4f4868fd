#include <optional>

#include "adapters/mysql/emergency_store.h"
#include "adapters/mysql/migrations.h"
#include "base/run_task.h"
#include "tests/contract/emergency_contract.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

class MysqlEmergency final : public EmergencyBed {
 public:
  MysqlEmergency() {
    Connection connection(server_);
    Migrate(connection);
    Restart({});
  }
  EmergencyStore& store() override { return *store_; }
  void Restart(Time now) override {
    store_.reset();
    pool_.emplace(server_, PoolOptions{2, 64, Seconds{60}});
    store_.emplace(*pool_);
    Connection connection(server_);
    store_->Refresh(connection, now);
  }
  std::vector<std::string> Audit() override {
    Connection connection(server_);
    std::vector<std::string> actions;
    auto rows = connection.Query("SELECT action FROM audit ORDER BY id");
    while (rows.Next()) actions.emplace_back(rows.Text(0));
    return actions;
  }
  const ServerOptions& server() const { return server_; }

 private:
  ServerOptions server_ = testing_support::FreshDatabase();
  std::optional<Pool> pool_;
  std::optional<MysqlEmergencyStore> store_;
};

INSTANTIATE_TEST_SUITE_P(MariaDb, EmergencyContract,
                         testing::Values(EmergencyBedFactory{
                             "mariadb", [] { return std::make_unique<MysqlEmergency>(); }}),
                         [](const auto& bed) { return bed.param.name; });

// Two nodes on one database.
TEST(MysqlEmergencyNodes, AControlOfOneNodeIsInForceOnTheOtherAfterItsRefresh) {
  const auto now = *ParseTime("2026-01-02T12:00:00.123Z");
  MysqlEmergency here;
  Pool pool(here.server(), PoolOptions{2, 64, Seconds{60}});
  MysqlEmergencyStore there(pool);
  Connection connection(here.server());
  const Bypass bypass{"42", now + Seconds{60}, Seconds{600}};
  ASSERT_TRUE(RunTask(here.store().StartBypass(bypass, {"ops", now})).ok());
  ASSERT_TRUE(*RunTask(here.store().SetMaintenance(true, {"ops", now})));
  const Stay minji{"42", "minji", 7, now, now + Seconds{600}};
  ASSERT_TRUE(RunTask(here.store().LetIn(minji)).ok());
  EXPECT_FALSE(there.BypassAtOnce("42", now));
  there.Refresh(connection, now);
  EXPECT_EQ(there.BypassAtOnce("42", now), bypass);
  EXPECT_EQ(there.MaintenanceAtOnce(), now);
  EXPECT_EQ(there.CountStays("42", now), 1U);
  EXPECT_EQ(*RunTask(there.FindStay("42", "minji", now)), minji);
  // Both nodes let a fan in once.
  EXPECT_EQ(*RunTask(there.LetIn({"42", "minji", 7, now + Seconds{1}, now + Seconds{601}})), minji);
  EXPECT_EQ(there.CountStays("42", now), 1U);
  // An end on one node is seen by the other within a second.
  ASSERT_TRUE(*RunTask(here.store().EndStay("42", "minji", std::nullopt, now)));
  EXPECT_FALSE(RunTask(there.FindStay("42", "minji", now + Seconds{3}))->has_value());
}

TEST(MysqlEmergencyOutage, KnownStayOutlivesThePruningOfAnOutage) {
  const auto now = *ParseTime("2026-01-02T12:00:00.123Z");
  testing_support::MariaDbServer server;
  server.CreateDatabase();
  {
    Connection connection(server.Options());
    Migrate(connection);
  }
  Pool pool(server.Options(), PoolOptions{2, 64, Seconds{60}});
  MysqlEmergencyStore store(pool);
  const Stay minji{"42", "minji", 7, now, now + Seconds{600}};
  ASSERT_TRUE(RunTask(store.LetIn(minji)).ok());
  server.Kill();
  // A connection notices the crash at its next question.
  while (pool.Connected()) (void)RunTask(store.FindStay("42", "jisoo", now + Seconds{2}));
  store.Prune(now + Seconds{61});
  EXPECT_EQ(*RunTask(store.FindStay("42", "minji", now + Seconds{62})), minji);
}

}  // namespace
}  // namespace maejin::mysql
