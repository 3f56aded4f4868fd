// The public view of concerts and their seats.
#pragma once

#include <map>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"
#include "store/picture_store.h"
#include "store/ranking_store.h"

namespace maejin {

// A concert with its ranks and those of its dates. Ranks are absent if it is not sold out, or if the rankings
// do not answer.
struct RankedView {
  ConcertView concert;
  std::optional<ConcertRanks> ranks = {};
  std::map<ScheduleId, ScheduleRanks> schedules = {};
  std::optional<StoredPicture> poster = {};
  std::optional<StoredPicture> logo = {};
};

// Thread-safe. The references outlive it.
class ReadConcerts {
 public:
  struct Pictures {
    const PictureStore& posters;
    const PictureStore& logos;
  };
  ReadConcerts(BookingStore& bookings, RankingStore& rankings, const Pictures& pictures, const Clock& clock)
      : bookings_(bookings), rankings_(rankings), pictures_(pictures), clock_(clock) {}

  // Refuses: kConcertNotFound.
  Task<Outcome<ConcertView>> One(ConcertId concert) {
    auto found = bookings_.FindConcert(concert, clock_.Now());
    if (found) co_return found;
    const auto looked = co_await bookings_.LoadMissing(SaleRef::OfConcert(concert));
    if (!looked) co_return looked.error();
    co_return bookings_.FindConcert(concert, clock_.Now());
  }
  // Never fails: without the rankings, `ranks` is absent.
  Task<RankedView> Rank(ConcertView concert) {
    RankedView shown{std::move(concert)};
    shown.poster = pictures_.posters.FindAtOnce(shown.concert.id);
    shown.logo = pictures_.logos.FindAtOnce(shown.concert.id);
    if (shown.concert.sold_out_at) {
      const auto found = co_await rankings_.RanksOf(shown.concert.id);
      if (found) shown.ranks = *found;
    }
    std::vector<ScheduleId> sold_out;
    for (const auto& schedule : shown.concert.schedules) {
      if (schedule.sold_out_at) sold_out.push_back(schedule.id);
    }
    if (sold_out.empty()) co_return shown;
    const auto found = co_await rankings_.RanksOfSchedules(sold_out);
    for (std::size_t i = 0; found && i < sold_out.size(); ++i) {
      if ((*found)[i]) shown.schedules[sold_out[i]] = *(*found)[i];
    }
    co_return shown;
  }
  enum class Which { kListed, kAll };
  // The concerts with ids above `after`, ascending by id.
  Task<std::vector<RankedView>> Page(ConcertId after, std::size_t limit, Which which) {
    std::vector<RankedView> page;
    bool is_last = false;
    while (!is_last && page.size() < limit) {
      auto concerts = bookings_.ListConcerts(after, limit, clock_.Now());
      is_last = concerts.size() < limit;
      for (auto& concert : concerts) {
        after = concert.id;
        if (page.size() == limit || (which == Which::kListed && !concert.details.listed)) continue;
        auto shown = co_await Rank(std::move(concert));
        page.push_back(std::move(shown));
      }
    }
    co_return page;
  }

 private:
  BookingStore& bookings_;
  RankingStore& rankings_;
  const Pictures pictures_;
  const Clock& clock_;
};

// Thread-safe. The references outlive it.
class ReadSeats {
 public:
  ReadSeats(BookingStore& bookings, const Clock& clock) : bookings_(bookings), clock_(clock) {}

  // Changes with every change of a seat. Absent: no such schedule. Takes no lock of a concert.
  std::optional<std::uint64_t> Version(ScheduleId schedule) const {
    return bookings_.SeatsVersionAtOnce(schedule);
  }
  // Finds the best available seats, and holds none; also before the opening. Refuses: kScheduleNotFound, as
  // CheckOnSale (domain/booking/booking_rules.h), kInvalidField, kSoldOut.
  Outcome<BestSeats> FindBestSeats(ScheduleId schedule, const BestAvailable& wish) const {
    const auto sale = bookings_.SaleAtOnce(schedule, clock_.Now());
    if (!sale && sale.error() != Refusal::kNotOpen) return sale.error();
    return bookings_.FindBestSeats(schedule, wish);
  }
  // Call for a schedule without a version: another node may have just created it.
  Task<Outcome<Done>> LoadMissing(ScheduleId schedule) const {
    return bookings_.LoadMissing(SaleRef::OfSchedule(schedule));
  }
  // Refuses: kScheduleNotFound.
  Outcome<SeatsView> All(ScheduleId schedule) const { return bookings_.ReadSeats(schedule); }
  // Changes after `version`; absent if that version is too old. Refuses: kScheduleNotFound.
  Outcome<std::optional<SeatChanges>> Since(ScheduleId schedule, std::uint64_t version) const {
    return bookings_.ReadSeatChanges(schedule, version);
  }

 private:
  BookingStore& bookings_;
  const Clock& clock_;
};

}  // namespace maejin
