// Builds the booking use cases and routes, and runs hold expiry.
#pragma once

#include "app/back_ends.h"
#include "app/payment_module.h"
#include "base/metrics.h"
#include "base/run_task.h"
#include "http/booking/operator_routes.h"
#include "http/booking/picture_routes.h"
#include "http/booking/report_routes.h"
#include "http/booking/routes.h"
#include "http/booking/series_routes.h"
#include "http/booking/ticket_routes.h"
#include "http/pages/plain_booking.h"
#include "usecase/count_refusals.h"
#include "usecase/expire_holds.h"
#include "usecase/require_room_admission.h"

namespace maejin::app {

class BookingModule {
 public:
  // What bookings need besides the ports. All references outlive the module.
  struct Dependencies {
    const http::Identity& identity;
    Metrics& metrics;
    http::Idempotency& idempotency;
    const config::Config& config;  // read by the constructor only
  };
  BookingModule(const BackEnds::Ports& ports, const Dependencies& deps);

  void AddRoutes(http::Router& router);
  // Each of these three functions is called about ten times a second, on a thread of its own. Expire() may
  // block on the store.
  void Expire() { expire_holds_(); }
  void FollowConcerts() { follow_concert_.Tick(); }
  void TickStreams() { seat_streams_.Tick(clock_.Now()); }
  // Called about once a second; may block on the store.
  void StoreRefusals() { (void)RunTask(count_refusals_.Flush()); }
  // Called about once a second, on its own thread; may block on the store.
  void KeepSeries() { sale_series_.Tick(); }
  PaymentModule& payments() { return payments_; }
  ManageConcert& concerts() { return manage_concert_; }
  http::PlainBookingParts plain_booking() {
    return {hold_seats_, confirm_payment_, manage_reservation_, keys_};
  }

 private:
  void AddGauges(Metrics& metrics);

  const http::Identity& identity_;
  http::Idempotency& idempotency_;
  const KeyRing& keys_;
  BookingStore& bookings_;
  const Clock& clock_;
  RequireRoomAdmission turn_;
  FollowConcert follow_concert_;
  ManageConcert manage_concert_;
  ReadConcerts read_concerts_;
  ManagePicture manage_poster_;
  ManagePicture manage_logo_;
  ReadSeats read_seats_;
  http::SeatsPages seats_pages_;
  http::SeatStreams seat_streams_;
  CountRefusals count_refusals_;
  HoldSeats hold_seats_;
  PaymentModule payments_;
  ConfirmPayment confirm_payment_;
  ManageReservation manage_reservation_;
  OperateBooking operate_booking_;
  ReportSale report_sale_;
  KeepSaleSeries sale_series_;
  CheckTicket check_ticket_;
  ExpireHolds expire_holds_;
};

}  // namespace maejin::app
