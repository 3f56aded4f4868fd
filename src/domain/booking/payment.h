// Money on its way: one attempt to pay one reservation, from the durable intent to the seat or the refund.
// Money taken (captured) ends in exactly one of: the seats (the reservation is CONFIRMED), or a refund (I8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "domain/words.h"

namespace maejin {

using PaymentId = Id128;

enum class PaymentStatus : std::uint8_t {
  kPending,    // intent is durable; the provider may or may not have the money
  kCaptured,   // the provider has the money; the seats are assigned
  kFailed,     // the provider has no money and, by its own word, never will
  kRefundDue,  // what the provider has, or may still get, must go back; asked until it did
  kRefunded,   // given back
};

// "PENDING", "CAPTURED", "FAILED", "REFUND_DUE", "REFUNDED".
std::string_view Name(PaymentStatus status);
std::optional<PaymentStatus> PaymentStatusOf(std::string_view name);

struct Payment {
  // Also the idempotency key the provider sees: asking twice takes the money once.
  PaymentId id;
  std::int64_t number = 0;  // row number
  ReservationId reservation;
  std::int64_t reservation_number = 0;
  Money amount = 0;
  PaymentStatus status = PaymentStatus::kPending;
  std::string provider;  // "instant", "sandbox", "callback"
  std::string method;    // the customer's word for it ("card"), or empty
  Time created_at;
  std::optional<Time> settled_at;  // captured, failed or refunded
  // hold_ver of the reservation the intent was made for.
  std::int32_t hold_ver = 0;
};

}  // namespace maejin
