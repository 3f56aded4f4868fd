#include "domain/booking/payment.h"

#include <array>

namespace maejin {
namespace {

constexpr std::array<std::string_view, 5> kPaymentNames = {"PENDING", "CAPTURED", "FAILED", "REFUND_DUE",
                                                           "REFUNDED"};

}  // namespace

std::string_view Name(PaymentStatus status) { return kPaymentNames[static_cast<std::size_t>(status)]; }

std::optional<PaymentStatus> PaymentStatusOf(std::string_view name) {
  for (std::size_t i = 0; i < kPaymentNames.size(); ++i) {
    if (kPaymentNames[i] == name) return static_cast<PaymentStatus>(i);
  }
  return {};
}

}  // namespace maejin
