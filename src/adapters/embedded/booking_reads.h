// The reading half of the booking port, over concerts in memory.
#pragma once

#include "adapters/embedded/sale_registry.h"
#include "store/booking_store.h"
#include "store/date_totals.h"

namespace maejin::embedded {

class BookingReads : public BookingStore {
 public:
  Outcome<ConcertView> FindConcert(ConcertId concert, Time now) const override;
  std::vector<ConcertView> ListConcerts(ConcertId after, std::size_t limit, Time now) const override;
  std::int64_t SeatsForSaleOn(Date date) const override;
  std::optional<Stock> StockAtOnce(ConcertId concert, Time now) const override;
  Stock TotalStock() const override;
  Outcome<SaleView> SaleAtOnce(ScheduleId schedule, Time now) const override;
  std::optional<std::uint64_t> SeatsVersionAtOnce(ScheduleId schedule) const override;
  Outcome<ShowView> FindShow(ScheduleId schedule) const override;
  Outcome<BestSeats> FindBestSeats(ScheduleId schedule, const BestAvailable& wish) const override;
  Outcome<SeatsView> ReadSeats(ScheduleId schedule) const override;
  Outcome<std::optional<SeatChanges>> ReadSeatChanges(ScheduleId schedule,
                                                      std::uint64_t version) const override;
  Task<Outcome<std::vector<Payment>>> UnsettledPayments(Time before, std::size_t limit) const override;

 protected:
  SaleRegistry sales_;

 private:
  DateTotals::ByDate SumByDate() const;

  mutable DateTotals date_totals_;
};

}  // namespace maejin::embedded
