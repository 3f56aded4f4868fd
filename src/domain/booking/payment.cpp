#include "domain/booking/payment.h"

#include <array>

namespace maejin {
namespace {

constexpr std::array<std::string_view, 5> kPaymentNames = {"PENDING", "CAPTURED", "FAILED", "REFUND_DUE",
                                                           "REFUNDED"};

constexpr std::array<std::string_view, kPaymentChanges> kChangeNames = {
    "captured", "captured late", "declined", "abandoned", "cancelled", "refunded", "nothing taken"};

using Next = std::optional<PaymentStatus>;
constexpr Next kRefused = std::nullopt;
constexpr Next kCapture = PaymentStatus::kCaptured;
constexpr Next kFail = PaymentStatus::kFailed;
constexpr Next kOwe = PaymentStatus::kRefundDue;
constexpr Next kReturn = PaymentStatus::kRefunded;

// Rows: PaymentChange. Columns: PaymentStatus. A late capture in REFUND_DUE keeps the status, and records that the
// provider has the money.
constexpr std::array<std::array<Next, kPaymentStatuses>, kPaymentChanges> kTable = {{
    //  PENDING   CAPTURED  FAILED    REFUND_DUE  REFUNDED
    {{kCapture, kRefused, kCapture, kRefused, kRefused}},  // kCaptured
    {{kOwe, kRefused, kOwe, kOwe, kRefused}},              // kCapturedLate
    {{kFail, kRefused, kRefused, kRefused, kRefused}},     // kDeclined
    {{kOwe, kRefused, kRefused, kRefused, kRefused}},      // kAbandoned
    {{kRefused, kOwe, kRefused, kRefused, kRefused}},      // kCancelled
    {{kRefused, kRefused, kRefused, kReturn, kRefused}},   // kRefunded
    {{kRefused, kRefused, kRefused, kFail, kRefused}},     // kNothingTaken
}};

bool IsRecordedOnly(const Payment& payment) { return payment.provider == "instant"; }

}  // namespace

std::string_view Name(PaymentChange change) { return kChangeNames[static_cast<std::size_t>(change)]; }

std::optional<PaymentStatus> NextStatus(PaymentStatus status, PaymentChange change) {
  return kTable[static_cast<std::size_t>(change)][static_cast<std::size_t>(status)];
}

bool ApplyChange(Payment& payment, PaymentChange change, Time now) {
  auto next = NextStatus(payment.status, change);
  if (!next) return false;
  const bool money_known = payment.settled_at.has_value();
  if (*next == payment.status && money_known) return false;
  if (*next == PaymentStatus::kRefundDue && IsRecordedOnly(payment)) next = PaymentStatus::kRefunded;
  if (change == PaymentChange::kNothingTaken && money_known) next = PaymentStatus::kRefunded;
  payment.status = *next;
  if (change != PaymentChange::kAbandoned) payment.settled_at = now;
  return true;
}

bool IsUnsettled(const Payment& payment) {
  const bool open = payment.status == PaymentStatus::kPending || payment.status == PaymentStatus::kRefundDue;
  return open && !IsRecordedOnly(payment);
}

std::string_view Name(PaymentStatus status) { return kPaymentNames[static_cast<std::size_t>(status)]; }

std::optional<PaymentStatus> PaymentStatusOf(std::string_view name) {
  for (std::size_t i = 0; i < kPaymentNames.size(); ++i) {
    if (kPaymentNames[i] == name) return static_cast<PaymentStatus>(i);
  }
  return {};
}

}  // namespace maejin
