#include "domain/booking/payment.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

constexpr Time kPaidAt = TimeFromMillis(1'767'225'600'000);

constexpr PaymentStatus kEveryStatus[] = {PaymentStatus::kPending, PaymentStatus::kCaptured,
                                          PaymentStatus::kFailed, PaymentStatus::kRefundDue,
                                          PaymentStatus::kRefunded};
constexpr PaymentChange kEveryChange[] = {PaymentChange::kCaptured,    PaymentChange::kCapturedLate,
                                          PaymentChange::kDeclined,    PaymentChange::kAbandoned,
                                          PaymentChange::kCancelled,   PaymentChange::kRefunded,
                                          PaymentChange::kNothingTaken};

Payment PaymentAt(PaymentStatus status, const char* provider = "callback") {
  Payment payment;
  payment.status = status;
  payment.provider = provider;
  return payment;
}

TEST(PaymentTable, OnlyARefundLeavesRefundDue) {
  for (const auto change : kEveryChange) {
    const auto next = NextStatus(PaymentStatus::kRefundDue, change);
    const bool refund = change == PaymentChange::kRefunded || change == PaymentChange::kNothingTaken;
    EXPECT_EQ(next && *next != PaymentStatus::kRefundDue, refund) << Name(change);
  }
}

TEST(PaymentTable, RefundedIsFinal) {
  for (const auto change : kEveryChange)
    EXPECT_FALSE(NextStatus(PaymentStatus::kRefunded, change)) << Name(change);
}

TEST(PaymentTable, CapturedMoneyIsAlwaysASeatOrARefund) {
  for (const auto status : kEveryStatus) {
    auto payment = PaymentAt(status);
    if (!ApplyChange(payment, PaymentChange::kCaptured, kPaidAt)) {
      ApplyChange(payment, PaymentChange::kCapturedLate, kPaidAt);
    }
    EXPECT_NE(payment.status, PaymentStatus::kPending) << Name(status);
    EXPECT_NE(payment.status, PaymentStatus::kFailed) << Name(status);
  }
}

TEST(PaymentTable, DeclineChangesOnlyAPendingPayment) {
  for (const auto status : kEveryStatus) {
    EXPECT_EQ(NextStatus(status, PaymentChange::kDeclined).has_value(), status == PaymentStatus::kPending)
        << Name(status);
  }
}

TEST(PaymentTable, RefundOfMoneyThatWasNeverTakenFails) {
  auto payment = PaymentAt(PaymentStatus::kPending);
  ASSERT_TRUE(ApplyChange(payment, PaymentChange::kAbandoned, kPaidAt));
  EXPECT_FALSE(payment.settled_at);
  ASSERT_TRUE(ApplyChange(payment, PaymentChange::kNothingTaken, kPaidAt));
  EXPECT_EQ(payment.status, PaymentStatus::kFailed);
}

TEST(PaymentTable, RefundOfCapturedMoneyThatWasVoidedIsRefunded) {
  auto payment = PaymentAt(PaymentStatus::kPending);
  ASSERT_TRUE(ApplyChange(payment, PaymentChange::kAbandoned, kPaidAt));
  ASSERT_TRUE(ApplyChange(payment, PaymentChange::kCapturedLate, kPaidAt));
  EXPECT_EQ(payment.status, PaymentStatus::kRefundDue);
  EXPECT_FALSE(ApplyChange(payment, PaymentChange::kCapturedLate, kPaidAt + Seconds{1})) << "repeated";
  ASSERT_TRUE(ApplyChange(payment, PaymentChange::kNothingTaken, kPaidAt));
  EXPECT_EQ(payment.status, PaymentStatus::kRefunded);
}

TEST(PaymentTable, InstantMoneyIsRefundedAtOnce) {
  auto payment = PaymentAt(PaymentStatus::kCaptured, "instant");
  ASSERT_TRUE(ApplyChange(payment, PaymentChange::kCancelled, kPaidAt));
  EXPECT_EQ(payment.status, PaymentStatus::kRefunded);
  EXPECT_FALSE(IsUnsettled(payment));
}

}  // namespace
}  // namespace maejin
