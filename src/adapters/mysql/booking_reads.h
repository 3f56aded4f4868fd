// The reading half of the booking port: answers from the mirror, which this class keeps up to date.
#pragma once

#include <atomic>
#include <chrono>

#include "adapters/mysql/booking_context.h"
#include "adapters/mysql/change_notices.h"
#include "adapters/mysql/outage_clock.h"

namespace maejin::mysql {

class BookingReads : public BookingStore {
 public:
  BookingReads(Pool& pool, Random& random) : context_(pool, random), outages_(pool) {}

  // Counts all later decisions in `counters`. Call before the first transition.
  void CountWith(BookingCounters& counters) { context_.counters = &counters; }

  // Fills the mirror. Call once, before anything else. Refuses: kUnavailable.
  Outcome<Done> Load(Time now);
  // Reads the changes of other nodes into the mirror. Blocks.
  void Refresh();
  // Refreshes the mirror in small steps: each call reads the schedules that other nodes announced since the
  // last call. Dates with recent seat changes are refreshed every 60 ms, all others every half second. Call
  // about fifty times a second, from one thread.
  void RefreshOften();

  // `send` sends a text to all other nodes, which pass it to OnNotice(). Call before the first transition.
  void AnnounceWith(std::function<void(std::string)> send);
  // Marks the schedules of another node's notice (change_notices.h) for a refresh. Does not block.
  void OnNotice(std::string_view text);

  Outcome<ConcertView> FindConcert(ConcertId concert, Time now) const override {
    return context_.mirror.Find(concert, now);
  }
  std::vector<ConcertView> ListConcerts(ConcertId after, std::size_t limit, Time now) const override {
    return context_.mirror.List(after, limit, now);
  }
  std::vector<ConcertChange> ListChanges(ConcertId after, std::size_t limit) const override {
    return context_.mirror.ListChanges(after, limit);
  }
  std::int64_t SeatsForSaleOn(Date date) const override { return context_.mirror.SeatsForSaleOn(date); }
  std::optional<std::uint64_t> CatalogueVersionAtOnce() const override { return {}; }
  std::optional<Stock> StockAtOnce(ConcertId concert, Time now) const override {
    return context_.mirror.StockOf(concert, now);
  }
  std::optional<Seconds> AgeAtOnce() const override;
  Stock TotalStock() const override { return context_.mirror.TotalStock(); }
  Outcome<SaleView> SaleAtOnce(ScheduleId schedule, Time now) const override {
    return context_.mirror.OnSale(schedule, now);
  }
  std::optional<std::uint64_t> SeatsVersionAtOnce(ScheduleId schedule) const override {
    return context_.mirror.SeatsVersion(schedule);
  }
  Outcome<ShowView> FindShow(ScheduleId schedule) const override { return context_.mirror.Show(schedule); }
  Outcome<BestSeats> FindBestSeats(ScheduleId schedule, const BestAvailable& wish) const override {
    return context_.mirror.FindBestSeats(schedule, wish);
  }
  Outcome<SeatsView> ReadSeats(ScheduleId schedule) const override { return context_.mirror.Seats(schedule); }
  Outcome<std::optional<SeatChanges>> ReadSeatChanges(ScheduleId schedule,
                                                      std::uint64_t version) const override {
    return context_.mirror.Changes(schedule, version);
  }
  Task<Outcome<Done>> LoadMissing(SaleRef sale) override;

 protected:
  BookingContext context_;
  OutageClock outages_;

 private:
  void RefreshConcerts(Connection& connection);
  // Reads the versions of the shards that `which` selects, then the seats of changed shards. It stops after
  // `time`; the next call reads the remaining shards.
  void RefreshSeats(Connection& connection, const std::string& which, Millis time);
  // Reads the concert and all its seats into the mirror.
  void Learn(Connection& connection, ConcertId concert);

  ChangeNotices notices_;
  std::atomic<bool> is_current_{true};  // the last refresh of all dates succeeded
  // The begin of the last refresh of all dates that succeeded.
  std::atomic<std::chrono::steady_clock::time_point> current_at_{std::chrono::steady_clock::now()};
  std::atomic<bool> was_notified_{false};                 // a notice came since the last RefreshOften()
  std::chrono::steady_clock::time_point refreshed_at_{};  // RefreshOften only
  std::chrono::steady_clock::time_point moving_refreshed_at_{};  // RefreshOften only
  std::atomic<std::size_t> refreshed_shards_{0};
};

}  // namespace maejin::mysql
