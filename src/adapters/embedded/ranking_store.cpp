#include "adapters/embedded/ranking_store.h"

#include <algorithm>

namespace maejin::embedded {
namespace {

constexpr auto kTickEvery = Seconds{1};
// The maximum of rows ranked under one lock, so that a read waits briefly.
constexpr std::size_t kRowsPerLock = 1024;

Date PrunedBefore(SoldOutReader& reader) {
  const auto day = reader.Setting("pruned_before");
  return DateOfMember(day.value_or(0));
}

}  // namespace

RankingMemory::RankingMemory(Journal& journal, Options options)
    : journal_(journal),
      zone_(options.zone),
      database_(options.database),
      now_(options.now),
      progress_(options.zone, options.now),
      reader_(std::make_unique<SoldOutReader>(options.database)) {
  pruned_before_ = PrunedBefore(*reader_);
  sold_outs_ = LoadSoldOuts(options.now, pruned_before_);
  progress_ = LoadProgress(options.now);
}

std::unique_ptr<RankingMemory::SoldOuts> RankingMemory::LoadSoldOuts(Time now, Date pruned_before) {
  auto loaded = std::make_unique<SoldOuts>(zone_, now, pruned_before);
  reader_->EachConcert([&](const ConcertSoldOut& sold_out) { loaded->concerts.Load(sold_out); });
  reader_->EachSchedule([&](const ScheduleSoldOut& sold_out) { loaded->schedules.Load(sold_out); });
  loaded->concerts.BuildAll();
  loaded->schedules.BuildAll();
  return loaded;
}

ProgressBoards RankingMemory::LoadProgress(Time now) {
  ProgressBoards loaded(zone_, now);
  reader_->EachReserved([&](const ProgressChanged& reserved) { loaded.Change(reserved); });
  return loaded;
}

Task<Outcome<Done>> EmbeddedRankingStore::Apply(std::vector<BookingEvent> events) {
  Applied(events);
  co_return Done{};
}

void EmbeddedRankingStore::Applied(std::span<const BookingEvent> events) {
  std::vector<RankingMovement> news;
  std::vector<ConcertSoldOut> concerts;
  std::vector<ScheduleSoldOut> schedules;
  bool progress = false;
  for (const auto& event : events) {
    // Imported history has no event of its own, and is not reported as movement.
    const bool tell = event.id != 0 && movement_;
    if (const auto* concert = std::get_if<ConcertSoldOut>(&event.fact)) {
      tell ? AddWithNews(*concert, news) : concerts.push_back(*concert);
    } else if (const auto* schedule = std::get_if<ScheduleSoldOut>(&event.fact)) {
      tell ? AddWithNews(*schedule, news) : schedules.push_back(*schedule);
    } else {
      progress = true;
    }
  }
  AddAll(concerts, schedules);
  if (progress) ApplyProgress(events);
  for (const auto& movement : news) movement_(movement);
}

std::size_t RankingMemory::AddAll(std::span<const ConcertSoldOut> concerts,
                                  std::span<const ScheduleSoldOut> schedules) {
  std::size_t added = 0;
  while (!concerts.empty() || !schedules.empty()) {
    const auto some_concerts = concerts.first(std::min(kRowsPerLock, concerts.size()));
    const auto some_schedules = schedules.first(std::min(kRowsPerLock, schedules.size()));
    concerts = concerts.subspan(some_concerts.size());
    schedules = schedules.subspan(some_schedules.size());
    const std::unique_lock lock(sold_outs_mutex_);
    if (rebuilding_) {
      concerts_since_.insert(concerts_since_.end(), some_concerts.begin(), some_concerts.end());
      schedules_since_.insert(schedules_since_.end(), some_schedules.begin(), some_schedules.end());
    }
    const auto now =
        sold_outs_->concerts.AddAll(some_concerts) + sold_outs_->schedules.AddAll(some_schedules);
    if (now > 0) sold_outs_version_.fetch_add(1, std::memory_order_release);
    added += now;
  }
  return added;
}

void RankingMemory::AddWithNews(const ConcertSoldOut& sold_out, std::vector<RankingMovement>& news) {
  if (AddAll(std::span{&sold_out, 1}, {}) == 0) return;
  const std::shared_lock lock(sold_outs_mutex_);
  const auto& table = sold_outs_->concerts.table();
  const auto row = *table.Find(sold_out.concert);
  const auto ranks = RanksInMemory(row);
  news.push_back({Describe(table, row, static_cast<std::size_t>(ranks.all) - 1), ranks});
}

void RankingMemory::AddWithNews(const ScheduleSoldOut& sold_out, std::vector<RankingMovement>& news) {
  if (AddAll({}, std::span{&sold_out, 1}) == 0) return;
  const std::shared_lock lock(sold_outs_mutex_);
  const auto& boards = sold_outs_->schedules;
  const auto row = *boards.table().Find(sold_out.schedule);
  const BoardWindow month{BoardId::kSchedulesMonthly,
                          WindowOf(WindowKind::kMonthly, sold_out.sold_out_at, zone_)};
  const auto* ranked = boards.Find(month);
  news.push_back({Describe(boards.table(), row, ranked ? ranked->RankOf(boards.table(), row) : 0), {}});
}

void RankingMemory::ApplyProgress(std::span<const BookingEvent> events) {
  const std::unique_lock lock(progress_mutex_);
  for (const auto& event : events) {
    const auto* change = std::get_if<ProgressChanged>(&event.fact);
    if (!change || !applied_progress_.Add(event.id)) continue;
    progress_.Change(*change);
    if (comparing_progress_) progress_since_.push_back(*change);
  }
  progress_version_.fetch_add(1, std::memory_order_release);
}

void EmbeddedRankingStore::Tick(Time now) {
  auto due = next_tick_ms_.load(std::memory_order_relaxed);
  if (ToMillis(now) < due) return;
  if (!next_tick_ms_.compare_exchange_strong(due, ToMillis(now + kTickEvery))) return;
  {
    const std::unique_lock lock(sold_outs_mutex_);
    now_ = std::max(now_, now);
    sold_outs_->concerts.Tick(now);
    sold_outs_->schedules.Tick(now);
  }
  const std::unique_lock lock(progress_mutex_);
  progress_.Tick(now);
}

std::optional<RankingVersions> EmbeddedRankingStore::VersionsAtOnce() const {
  return RankingVersions{sold_outs_version_.load(std::memory_order_acquire),
                         progress_version_.load(std::memory_order_acquire)};
}

void EmbeddedRankingStore::OnMovement(std::function<void(const RankingMovement&)> listener) {
  movement_ = std::move(listener);
}

std::size_t RankingMemory::bytes() const {
  const std::shared_lock lock(sold_outs_mutex_);
  return sold_outs_->concerts.bytes() + sold_outs_->schedules.bytes();
}

}  // namespace maejin::embedded
