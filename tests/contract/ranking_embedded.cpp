#include <filesystem>
#include <optional>

#include <unistd.h>

#include "adapters/embedded/database.h"
#include "adapters/embedded/ranking_store.h"
#include "adapters/embedded/sold_out_rows.h"
#include "tests/contract/ranking_contract.h"

namespace maejin::embedded {
namespace {

constexpr Sql kTouch{
    "INSERT INTO ranking_settings (name, value) VALUES ('test', 1) ON CONFLICT (name) DO NOTHING"};

class EmbeddedRankingBed final : public RankingBed {
 public:
  EmbeddedRankingBed(Time now, TimeZone zone) : zone_(zone) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Start(now);
  }
  ~EmbeddedRankingBed() override {
    Stop();
    std::filesystem::remove_all(folder_);
  }
  RankingStore& store() override { return *store_; }

  void Record(std::span<const BookingEvent> events) override {
    WriteSet rows;
    for (const auto& event : events) {
      if (const auto* concert = std::get_if<ConcertSoldOut>(&event.fact)) AddSoldOutRow(rows, *concert);
      if (const auto* schedule = std::get_if<ScheduleSoldOut>(&event.fact)) AddSoldOutRow(rows, *schedule);
    }
    rows.Add(kTouch);  // progress alone writes no rows
    journal_->Append(rows, events);
    journal_->Flush();
  }

  void Restart(Time now) override {
    Stop();
    Start(now);
  }

 private:
  void Start(Time now) {
    const auto path = (folder_ / "maejin.db").string();
    journal_.emplace(OpenDatabase(path));
    store_.emplace(*journal_, EmbeddedRankingStore::Options{path, zone_, now});
    journal_->Listen([this](std::span<const BookingEvent> events) { store_->Applied(events); });
  }
  void Stop() {
    journal_.reset();
    store_.reset();
  }

  const TimeZone zone_;
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("maejin-ranking-contract-" + std::to_string(getpid()));
  std::optional<Journal> journal_;
  std::optional<EmbeddedRankingStore> store_;
};

}  // namespace
}  // namespace maejin::embedded

namespace maejin {

const RankingBedFactory kEmbeddedRanking{"Embedded", [](Time now, TimeZone zone) {
                                           return std::make_unique<embedded::EmbeddedRankingBed>(now, zone);
                                         }};

INSTANTIATE_TEST_SUITE_P(Embedded, RankingContract, testing::Values(kEmbeddedRanking));

}  // namespace maejin
