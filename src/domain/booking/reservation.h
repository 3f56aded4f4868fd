// One customer's seats of one schedule, from the hold to the payment or the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/words.h"

namespace maejin {

enum class ReservationStatus : std::uint8_t {
  kHeld,       // exclusive until expires_at
  kPaying,     // as kHeld, with a payment under way at a provider
  kConfirmed,  // paid; the seats are ASSIGNED
  kCancelled,  // given back before paying
  kExpired,    // the deadline passed
  kRefunded,   // paid, then given back; the money returns
};

// "HELD", "PAYING", "CONFIRMED", "CANCELLED", "EXPIRED", "REFUNDED".
std::string_view Name(ReservationStatus status);
std::optional<ReservationStatus> ReservationStatusOf(std::string_view name);

// Why a reservation ended.
enum class EndReason : std::uint8_t {
  kNone,       // it has not ended, or it ended before reasons were stored
  kExpired,    // the deadline passed
  kCustomer,   // cancelled by its owner
  kOperator,   // cancelled by an operator
  kCancelled,  // the concert or the date was cancelled
};
// "expired", "customer", "operator", "cancelled"; "" for kNone.
std::string_view Name(EndReason reason);
EndReason EndReasonOf(std::string_view name);

struct Reservation {
  ReservationId id;
  // Row number: increases with every reservation.
  std::int64_t number = 0;
  ConcertId concert = 0;
  ScheduleId schedule = 0;
  UserId user;
  std::vector<SeatNumber> seats;  // ascending
  Money amount = 0;
  ReservationStatus status = ReservationStatus::kHeld;
  Time held_at;
  Time expires_at;
  std::optional<Time> paid_at;
  std::optional<Time> ended_at;  // cancelled, expired or refunded
  EndReason end_reason = EndReason::kNone;
  // The fence: a payment assigns the seats only if it was begun for this version of the hold.
  std::int32_t hold_ver = 1;
  // The deadline was extended. It can be extended once.
  bool extended = false;
  // Whether the payment left no unpaid seat in the schedule, or in the concert. Stored, so that a repeated
  // request gets the same answer.
  bool schedule_sold_out = false;
  bool concert_sold_out = false;
  // Its newest payment, as an index into the concert's payments.
  std::uint32_t payment = UINT32_MAX;
  // The refund is due and not made yet. Not stored: derived from the newest payment.
  bool refund_due = false;
  // The idempotency key of the hold, or empty. A repeated request finds this reservation by it.
  std::string idempotency_key;

  // True: no other reservation can have its seats.
  bool Living() const {
    return status == ReservationStatus::kHeld || status == ReservationStatus::kPaying ||
           status == ReservationStatus::kConfirmed;
  }
  bool Unpaid() const { return status == ReservationStatus::kHeld || status == ReservationStatus::kPaying; }
};

// The status in answers to customers: REFUNDED after the money was returned, CANCELLED until then.
inline ReservationStatus ShownStatus(const Reservation& reservation) {
  const bool waits = reservation.status == ReservationStatus::kRefunded && reservation.refund_due;
  return waits ? ReservationStatus::kCancelled : reservation.status;
}

}  // namespace maejin
