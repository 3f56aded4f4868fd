// Payments: one attempt to pay one reservation, from the durable intent to the seat or the refund. Money
// taken (captured) ends in exactly one of: the seats (the reservation is CONFIRMED), or a refund (I8).
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
  kFailed,     // the provider has no money, and has reported that it will take none
  kRefundDue,  // the refund of money that the provider has or may get is requested until it is made
  kRefunded,   // given back
};

// "PENDING", "CAPTURED", "FAILED", "REFUND_DUE", "REFUNDED".
std::string_view Name(PaymentStatus status);
std::optional<PaymentStatus> PaymentStatusOf(std::string_view name);

struct Payment {
  // Also the idempotency key at the provider: two charges with this id take the money once.
  PaymentId id;
  std::int64_t number = 0;  // row number
  ReservationId reservation;
  std::int64_t reservation_number = 0;
  Money amount = 0;
  PaymentStatus status = PaymentStatus::kPending;
  std::string provider;  // "instant", "sandbox", "callback"
  std::string method;    // the customer's word for it ("card"), or empty
  Time created_at;
  // When the result at the provider became known. Absent: PENDING, or REFUND_DUE while the provider may have
  // no money.
  std::optional<Time> settled_at;
  // The hold version of the reservation for which the intent was made.
  std::int32_t hold_ver = 0;
};

// Everything that can happen to a payment.
enum class PaymentChange : std::uint8_t {
  kCaptured,      // the provider has the money, and the seats are assigned
  kCapturedLate,  // the provider has the money, but the seats are no longer available
  kDeclined,      // the provider has no money, and never will
  kAbandoned,     // the hold is over, and the provider does not know the payment
  kCancelled,     // the customer or an operator gave the paid seats back
  kRefunded,      // the provider returned the money
  kNothingTaken,  // at a refund: the provider has no money, and will take none with this id
};
inline constexpr std::size_t kPaymentStatuses = 5;
inline constexpr std::size_t kPaymentChanges = 7;
std::string_view Name(PaymentChange change);

// The transition table: the status after `change`, or absent where the change is refused. Two rules keep I8.
// Only kRefunded and kNothingTaken leave REFUND_DUE. Money captured in PENDING or FAILED ends in seats or in
// REFUND_DUE.
std::optional<PaymentStatus> NextStatus(PaymentStatus status, PaymentChange change);

// Applies the table to `payment`, and two rules that are not in the table. Money that maejin only records
// (provider "instant") is REFUNDED at once. kNothingTaken gives REFUNDED if the provider is known to have had
// the money, because it was voided; otherwise FAILED. Returns false, and changes nothing, where the change is
// refused or repeated.
bool ApplyChange(Payment& payment, PaymentChange change, Time now);

// Money of this provider is only recorded by maejin: no other service takes it or gives it back.
bool IsRecordedOnly(std::string_view provider);
// A worker has to bring the payment to its end: PENDING or REFUND_DUE at a provider.
bool IsUnsettled(const Payment& payment);

}  // namespace maejin
