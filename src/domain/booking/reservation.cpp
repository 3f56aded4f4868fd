#include "domain/booking/reservation.h"

#include <array>

namespace maejin {
namespace {

constexpr std::array<std::string_view, 6> kReservationNames = {"HELD",      "PAYING",  "CONFIRMED",
                                                               "CANCELLED", "EXPIRED", "REFUNDED"};

constexpr std::array<std::string_view, 5> kEndReasons = {"", "expired", "customer", "operator", "cancelled"};

}  // namespace

std::string_view Name(ReservationStatus status) {
  return kReservationNames[static_cast<std::size_t>(status)];
}

std::optional<ReservationStatus> ReservationStatusOf(std::string_view name) {
  for (std::size_t i = 0; i < kReservationNames.size(); ++i) {
    if (kReservationNames[i] == name) return static_cast<ReservationStatus>(i);
  }
  return {};
}

std::string_view Name(EndReason reason) { return kEndReasons[static_cast<std::size_t>(reason)]; }

EndReason EndReasonOf(std::string_view name) {
  for (std::size_t i = 0; i < kEndReasons.size(); ++i) {
    if (kEndReasons[i] == name) return static_cast<EndReason>(i);
  }
  return EndReason::kNone;
}

}  // namespace maejin
