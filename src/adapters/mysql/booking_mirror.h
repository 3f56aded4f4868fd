// A node's copy of the bookings in the database, so that reads never wait for the database and continue
// during an outage. The mirror has a node's own changes before their answers leave. Changes of other nodes
// follow with the next refresh. The mirror assigns no seat: only a guarded UPDATE of the seat's row does, and
// it may fail for a seat that is available here.
//
// Thread-safe.
#pragma once

#include "adapters/mysql/booking_mirror_state.h"
#include "store/date_totals.h"

namespace maejin::mysql {

class BookingMirror : public BookingMirrorState {
 public:
  std::shared_ptr<const ConcertRecord> RecordOf(ConcertId concert) const;
  std::shared_ptr<const ConcertRecord> RecordOfSchedule(ScheduleId schedule) const;
  // A concert that opened at `at`. OpenedBy() leaves out closed and cancelled concerts.
  struct Opening {
    ConcertId concert = 0;
    Time at{};
  };
  std::vector<Opening> OpenedBy(Time now) const;
  // The time of the latest payment that the mirror has seen.
  Time LastPaidAt(ConcertId concert) const;
  Outcome<ConcertView> Find(ConcertId concert, Time now) const;
  std::vector<ConcertView> List(ConcertId after, std::size_t limit, Time now) const;
  std::vector<ConcertChange> ListChanges(ConcertId after, std::size_t limit) const;
  std::int64_t SeatsForSaleOn(Date date) const;
  Outcome<ShowView> Show(ScheduleId schedule) const;
  // Counts only dates that still sell at `now`. Takes no lock that is held while seats change.
  std::optional<Stock> StockOf(ConcertId concert, Time now) const;
  Stock TotalStock() const;
  Outcome<SaleView> OnSale(ScheduleId schedule, Time now) const;
  std::optional<std::uint64_t> SeatsVersion(ScheduleId schedule) const;
  Outcome<BestSeats> FindBestSeats(ScheduleId schedule, const BestAvailable& wish) const;
  Outcome<SeatsView> Seats(ScheduleId schedule) const;
  Outcome<std::optional<SeatChanges>> Changes(ScheduleId schedule, std::uint64_t version) const;
  // The seats a hold would take, as far as this node knows; refusals in the order of
  // domain/booking/concert.h.
  Outcome<std::vector<SeatNumber>> Choose(const HoldRequest& request) const;

 private:
  std::shared_ptr<StockCell> CellOf(ConcertId concert) const;
  DateTotals::ByDate SumByDate() const;

  mutable DateTotals date_totals_;
};

}  // namespace maejin::mysql
