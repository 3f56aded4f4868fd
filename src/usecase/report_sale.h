// Reads the rows of one sale and computes its report.
#pragma once

#include "base/clock.h"
#include "base/task.h"
#include "domain/report/sale_report.h"
#include "store/audit_store.h"
#include "store/booking_operations.h"
#include "store/refusal_log.h"
#include "store/waiting_room_store.h"

namespace maejin {

// Thread-safe. The references outlive it.
class ReportSale {
 public:
  struct Dependencies {
    BookingStore& bookings;
    BookingOperations& operations;
    WaitingRoomStore& rooms;
    AuditStore& audit;
    RefusalLog& refusals;
    const Clock& clock;
  };
  explicit ReportSale(const Dependencies& deps) : deps_(deps) {}

  // Refuses: kConcertNotFound, kUnavailable.
  Task<Outcome<SaleReport>> operator()(ConcertId concert) const;

 private:
  Task<Outcome<ConcertView>> Find(ConcertId concert) const;
  Task<Outcome<Done>> AddReservations(SaleReportBuilder& builder, ConcertId concert) const;
  Task<Outcome<Done>> AddActions(SaleReportBuilder& builder) const;
  Task<Outcome<Done>> AddLine(SaleReportBuilder& builder, ConcertId concert) const;

  Dependencies deps_;
};

}  // namespace maejin
