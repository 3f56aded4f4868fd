// Pays a reservation: assigns the seats and releases the customer's slot in the waiting room.
#pragma once

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"
#include "store/ranking_store.h"
#include "store/waiting_room_store.h"
#include "usecase/advance_payment.h"

namespace maejin {

// Thread-safe. The references outlive it.
class ConfirmPayment {
 public:
  struct Dependencies {
    BookingStore& bookings;
    WaitingRoomStore& rooms;
    RankingStore& rankings;
    const Clock& clock;
    PaymentMetrics& metrics;
    // Null: maejin records the payment in one transition, without a provider.
    AdvancePayment* advance = nullptr;
  };
  explicit ConfirmPayment(const Dependencies& deps) : deps_(deps) {}

  // Returns a CONFIRMED reservation, or a PAYING one if the provider answers later. If this payment sells out
  // a date, the boards show it before this returns, unless they are unavailable. Refuses:
  // kReservationNotFound, kHoldExpired, kAmountMismatch, kAlreadyPaying (with another provider),
  // kPaymentDeclined (the hold continues), kPaymentRefunded (captured after the deadline, when the seats were
  // taken), kUnavailable.
  Task<Outcome<PaymentOutcome>> operator()(ReservationRef ref, PaymentRequest request, RequestTrace trace);

 private:
  Task<Outcome<PaymentOutcome>> AtOnce(ReservationRef ref, PaymentRequest request, Time now);
  Task<Outcome<PaymentOutcome>> ThroughProvider(ReservationRef ref, PaymentRequest request,
                                                RequestTrace trace, Time now);
  void CountStart(const PaymentOutcome& outcome, Time now);

  Dependencies deps_;
};

}  // namespace maejin
