#include <optional>

#include "adapters/mysql/admission_log.h"
#include "adapters/mysql/migrations.h"
#include "adapters/mysql/ranking_history.h"
#include "adapters/mysql/sale_series.h"
#include "adapters/mysql/sold_out_rows.h"
#include "tests/contract/shared_memory_contract.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

class MysqlSharedMemory final : public SharedMemoryBed {
 public:
  MysqlSharedMemory() {
    Connection connection(server_);
    Migrate(connection);
    Restart();
  }

  AdmissionLog& admissions() override { return *admissions_; }
  RankingHistory& history() override { return *history_; }
  SaleSeries& series() override { return *series_; }
  void SellOut(const ConcertSoldOut& concert, std::span<const ScheduleSoldOut> schedules) override {
    Connection connection(server_);
    AddSoldOut(connection, concert);
    for (const auto& schedule : schedules) AddSoldOut(connection, schedule);
  }
  void Restart() override {
    admissions_.reset();
    history_.reset();
    series_.reset();
    pool_.emplace(server_, PoolOptions{2, 64, Seconds{60}});
    admissions_.emplace(*pool_);
    history_.emplace(*pool_);
    series_.emplace(*pool_);
  }

 private:
  ServerOptions server_ = testing_support::FreshDatabase();
  std::optional<Pool> pool_;
  std::optional<MysqlAdmissionLog> admissions_;
  std::optional<MysqlRankingHistory> history_;
  std::optional<MysqlSaleSeries> series_;
};

INSTANTIATE_TEST_SUITE_P(MariaDb, SharedMemoryContract,
                         testing::Values(SharedMemoryBedFactory{
                             "mariadb", [] { return std::make_unique<MysqlSharedMemory>(); }}),
                         [](const auto& suite) { return suite.param.name; });

}  // namespace
}  // namespace maejin::mysql
