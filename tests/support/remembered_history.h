// An in-memory history of the rankings, for tests.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>

#include "store/ranking_history.h"

namespace maejin::test {

class RememberedHistory final : public RankingHistory {
 public:
  void Add(const ConcertSoldOut& sold_out) { concerts_.try_emplace(sold_out.concert, sold_out); }
  void Add(const ScheduleSoldOut& sold_out) { schedules_.try_emplace(sold_out.schedule, sold_out); }
  // As if an operator had changed the database by hand.
  void Replace(const ConcertSoldOut& sold_out) { concerts_[sold_out.concert] = sold_out; }
  void EraseConcert(ConcertId concert) { concerts_.erase(concert); }
  ReservedSeats& reserved() { return reserved_; }
  int reads_by_id() const { return reads_by_id_; }
  // Runs once, after the next read of the dates of a time range.
  void AfterSchedulesIn(std::function<void()> run) { after_schedules_in_ = std::move(run); }
  // Runs at every read of the reserved seats.
  void BeforeReserved(std::function<void()> run) { before_reserved_ = std::move(run); }

  Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsAfter(ConcertId after, std::size_t count) override {
    co_return After(concerts_, after, count);
  }
  Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesAfter(ScheduleId after, std::size_t count) override {
    co_return After(schedules_, after, count);
  }
  Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsWith(std::vector<ConcertId> ids) override {
    co_return With(concerts_, ids);
  }
  Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesWith(std::vector<ScheduleId> ids) override {
    co_return With(schedules_, ids);
  }
  Task<Outcome<std::vector<ConcertSoldOut>>> ConcertsIn(TimeRange range) override {
    co_return In(concerts_, range);
  }
  Task<Outcome<std::vector<ScheduleSoldOut>>> SchedulesIn(TimeRange range) override {
    auto found = In(schedules_, range);
    if (after_schedules_in_) std::exchange(after_schedules_in_, {})();
    co_return found;
  }
  Task<Outcome<SoldOutCounts>> Count() override {
    co_return SoldOutCounts{static_cast<std::int64_t>(concerts_.size()),
                            static_cast<std::int64_t>(schedules_.size())};
  }
  Task<Outcome<ReservedSeats>> Reserved() override {
    if (before_reserved_) before_reserved_();
    co_return reserved_;
  }
  Task<Outcome<std::vector<Imported>>> Import(std::vector<SoldOutHistory> histories) override {
    std::vector<Imported> imported;
    for (const auto& history : histories) {
      const bool is_new = concerts_.try_emplace(history.concert.concert, history.concert).second;
      imported.push_back(is_new ? Imported::kNew : Imported::kKnown);
      for (const auto& schedule : history.schedules) Add(schedule);
    }
    co_return imported;
  }
  Task<Outcome<Date>> PrunedBefore() override { co_return pruned_; }
  Task<Outcome<Date>> Prune(Date before) override {
    pruned_ = std::max(pruned_, before);
    co_return pruned_;
  }

 private:
  template <class Row>
  static std::vector<Row> After(const std::map<std::int64_t, Row>& rows, std::int64_t after,
                                std::size_t count) {
    std::vector<Row> found;
    for (auto row = rows.upper_bound(after); row != rows.end() && found.size() < count; ++row)
      found.push_back(row->second);
    return found;
  }
  template <class Row>
  std::vector<Row> With(const std::map<std::int64_t, Row>& rows, const std::vector<std::int64_t>& ids) {
    ++reads_by_id_;
    std::vector<Row> found;
    for (const auto id : ids) {
      if (const auto row = rows.find(id); row != rows.end()) found.push_back(row->second);
    }
    return found;
  }
  template <class Row>
  static std::vector<Row> In(const std::map<std::int64_t, Row>& rows, const TimeRange& range) {
    std::vector<Row> found;
    for (const auto& [id, row] : rows) {
      if (row.sold_out_at >= range.from && row.sold_out_at < range.until) found.push_back(row);
    }
    return found;
  }

  std::map<std::int64_t, ConcertSoldOut> concerts_;
  std::map<std::int64_t, ScheduleSoldOut> schedules_;
  ReservedSeats reserved_;
  std::atomic<int> reads_by_id_{0};
  std::function<void()> before_reserved_;
  std::function<void()> after_schedules_in_;
  Date pruned_ = *ParseDate("1970-01-01");
};

}  // namespace maejin::test
