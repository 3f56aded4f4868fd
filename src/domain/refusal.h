// Every refusal of the product. A transition checks them in a fixed order, returns the first that applies and
// changes nothing. src/http maps each to a status and a text in ko and en.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace maejin {

enum class Refusal : std::uint8_t {
  // The request itself.
  kInvalidJson,
  kInvalidField,
  kNotFound,
  kMethodNotAllowed,
  kPayloadTooLarge,
  kUnsupportedMediaType,
  kTooManyRequests,
  kUnavailable,
  kIdempotencyMismatch,
  kIdempotencyRunning,
  // Authentication and authorisation.
  kUnauthorized,
  kForbidden,
  kTokenInvalid,
  // Waiting room.
  kRoomNotFound,
  kRoomClosed,
  kNotQueued,
  kNotYourTurn,
  kRoomExists,
  kRoomInUse,
  kReturnRefused,
  kReturnCodeInvalid,
  kWaitRequired,
  // Booking.
  kConcertNotFound,
  kScheduleNotFound,
  kSeatNotFound,
  kReservationNotFound,
  kUnknownTicket,
  kAlreadyOpen,
  kNotOpen,
  kPassRequired,
  kSoldOut,
  kSeatHeld,
  kSeatTaken,
  kTooManySeats,
  kHoldExpired,
  kAmountMismatch,
  kAlreadyPaying,
  kAlreadyExtended,
  kConcertCancelled,
  kConcertClosed,
  kSalesEnded,
  kNotClosed,
  // Payment.
  kPaymentNotFound,
  kPaymentDeclined,
  kPaymentRefunded,
  kSignatureInvalid,
  kSignatureExpired,
  // Webhooks.
  kTargetRefused,
  kWebhookNotFound,
  kDeliveryNotFound,
  kWebhookDisabled,
  kTooManyWebhooks,
  // Ranking.
  kNotRanked,
  // The whole site.
  kMaintenance,
  // Rehearsals.
  kRehearsalRunning,
  kSaleRunning,
  kRealMoney,
  // Internal, not counted below: another node took the room over with a later epoch. HTTP answers
  // not-your-turn.
  kFencedEpoch,
};
inline constexpr std::size_t kRefusalCount = static_cast<std::size_t>(Refusal::kRealMoney) + 1;

// The refusal that clients see in place of `refusal`.
constexpr Refusal Shown(Refusal refusal) {
  return refusal == Refusal::kFencedEpoch ? Refusal::kNotYourTurn : refusal;
}

// The stable name that clients see in `code`: "seat-taken".
std::string_view Code(Refusal refusal);

// The limit that refused a request, for the headers RateLimit-Policy and RateLimit.
struct Quota {
  std::string_view name = {};  // static lifetime; empty: the limit is not known
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  std::uint32_t window_seconds = 0;  // 0: time does not renew the quota
};

// A refusal and the details that a caller needs.
struct Refused {
  Refused(Refusal refusal) : why(refusal) {}  // NOLINT: `return Refusal::kSoldOut;`
  Refused(Refusal refusal, std::string subject) : why(refusal), about(std::move(subject)) {}
  Refused(Refusal refusal, Quota exceeded, std::string subject = {})
      : why(refusal), about(std::move(subject)), quota(exceeded) {}

  Refusal why;
  // kInvalidField: the field and what is wrong with it ("seats: must be 1…100000").
  // Otherwise the id or name that was not found, or empty.
  std::string about;
  // kSoldOut: some seats are only held and may become available again.
  bool may_return = false;
  // kUnavailable, kTooManyRequests: when to try again.
  std::uint32_t retry_after_seconds = 1;
  // kTooManyRequests, kTooManySeats: the limit.
  Quota quota = {};

  friend bool operator==(const Refused& refused, Refusal refusal) { return refused.why == refusal; }
};

template <class T>
using Outcome = Result<T, Refused>;

// The outcome without its value.
template <class T>
Outcome<Done> WithoutValue(const Outcome<T>& outcome) {
  if (!outcome.ok()) return outcome.error();
  return Done{};
}

}  // namespace maejin
