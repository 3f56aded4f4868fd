#include <filesystem>
#include <optional>

#include <unistd.h>

#include "adapters/embedded/database.h"
#include "adapters/embedded/ranking_history.h"
#include "adapters/embedded/sold_out_rows.h"
#include "adapters/redis/ranking/ranking_store.h"
#include "base/run_task.h"
#include "tests/contract/ranking_contract.h"
#include "tests/support/redis_places.h"

namespace maejin::redis {
namespace {

// Boards on Redis with the embedded database.
class RedisRankingBed final : public RankingBed {
 public:
  RedisRankingBed(std::string url, Time now, TimeZone zone) : url_(std::move(url)), zone_(std::move(zone)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Start(now);
  }
  ~RedisRankingBed() override {
    Stop();
    std::filesystem::remove_all(folder_);
  }
  maejin::RankingStore& store() override { return *store_; }

  void Record(std::span<const BookingEvent> events) override {
    embedded::WriteSet rows;
    for (const auto& event : events) {
      if (const auto* concert = std::get_if<ConcertSoldOut>(&event.fact))
        embedded::AddSoldOutRow(rows, *concert);
      if (const auto* schedule = std::get_if<ScheduleSoldOut>(&event.fact))
        embedded::AddSoldOutRow(rows, *schedule);
    }
    journal_->Append(rows);
    journal_->Flush();
    ASSERT_TRUE(RunTask(store_->Apply({events.begin(), events.end()})).ok());
  }

  void Restart(Time now) override {
    Stop();
    Start(now);
  }

 private:
  void Start(Time now) {
    const auto path = (folder_ / "maejin.db").string();
    journal_.emplace(embedded::OpenDatabase(path));
    history_.emplace(*journal_, embedded::EmbeddedRankingHistory::Options{
                                    path, [] { return embedded::EventRelay::Backlog{}; }});
    client_.emplace(ParseAddress(url_).value());
    store_.emplace(*client_, *history_, random_,
                   RankingStoreOptions{.zone = zone_, .now = now, .expire = false});
    ASSERT_TRUE(RunTask(store_->EnsureComplete()).ok());
  }
  void Stop() {
    store_.reset();
    client_.reset();
    history_.reset();
    journal_.reset();
  }

  const std::string url_;
  const TimeZone zone_;
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("maejin-redis-ranking-" + std::to_string(getpid()));
  SeededRandom random_{7};
  std::optional<embedded::Journal> journal_;
  std::optional<embedded::EmbeddedRankingHistory> history_;
  std::optional<Client> client_;
  std::optional<RankingStore> store_;
};

std::vector<RankingBedFactory> RankingBeds() {
  std::vector<RankingBedFactory> beds;
  for (const auto& place : test::RedisPlaces()) {
    beds.push_back({place.name, [place](Time now, TimeZone zone) {
                      return std::make_unique<RedisRankingBed>(place.Empty(), now, std::move(zone));
                    }});
  }
  return beds;
}

}  // namespace
}  // namespace maejin::redis

namespace maejin {

INSTANTIATE_TEST_SUITE_P(Redis, RankingContract, testing::ValuesIn(redis::RankingBeds()),
                         [](const auto& bed) { return bed.param.name; });

}  // namespace maejin
