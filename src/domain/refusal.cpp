#include "domain/refusal.h"

namespace maejin {

std::string_view Code(Refusal refusal) {
  switch (refusal) {
    case Refusal::kInvalidJson:
      return "invalid-json";
    case Refusal::kInvalidField:
      return "invalid-field";
    case Refusal::kNotFound:
      return "not-found";
    case Refusal::kMethodNotAllowed:
      return "method-not-allowed";
    case Refusal::kPayloadTooLarge:
      return "payload-too-large";
    case Refusal::kUnsupportedMediaType:
      return "unsupported-media-type";
    case Refusal::kTooManyRequests:
      return "too-many-requests";
    case Refusal::kUnavailable:
      return "unavailable";
    case Refusal::kIdempotencyMismatch:
      return "idempotency-mismatch";
    case Refusal::kIdempotencyRunning:
      return "idempotency-running";
    case Refusal::kUnauthorized:
      return "unauthorized";
    case Refusal::kForbidden:
      return "forbidden";
    case Refusal::kTokenInvalid:
      return "token-invalid";
    case Refusal::kRoomNotFound:
      return "room-not-found";
    case Refusal::kRoomClosed:
      return "room-closed";
    case Refusal::kNotQueued:
      return "not-queued";
    case Refusal::kNotYourTurn:
    case Refusal::kFencedEpoch:
      return "not-your-turn";
    case Refusal::kConcertNotFound:
      return "concert-not-found";
    case Refusal::kScheduleNotFound:
      return "schedule-not-found";
    case Refusal::kSeatNotFound:
      return "seat-not-found";
    case Refusal::kReservationNotFound:
      return "reservation-not-found";
    case Refusal::kAlreadyOpen:
      return "already-open";
    case Refusal::kNotOpen:
      return "not-open";
    case Refusal::kPassRequired:
      return "pass-required";
    case Refusal::kSoldOut:
      return "sold-out";
    case Refusal::kSeatHeld:
      return "seat-held";
    case Refusal::kSeatTaken:
      return "seat-taken";
    case Refusal::kTooManySeats:
      return "too-many-seats";
    case Refusal::kHoldExpired:
      return "hold-expired";
    case Refusal::kAmountMismatch:
      return "amount-mismatch";
    case Refusal::kAlreadyPaying:
      return "already-paying";
    case Refusal::kAlreadyExtended:
      return "already-extended";
    case Refusal::kConcertCancelled:
      return "concert-cancelled";
    case Refusal::kConcertClosed:
      return "concert-closed";
    case Refusal::kSalesEnded:
      return "sales-ended";
    case Refusal::kNotClosed:
      return "not-closed";
    case Refusal::kPaymentNotFound:
      return "payment-not-found";
    case Refusal::kPaymentDeclined:
      return "payment-declined";
    case Refusal::kPaymentRefunded:
      return "payment-refunded";
    case Refusal::kSignatureInvalid:
      return "signature-invalid";
    case Refusal::kSignatureExpired:
      return "signature-expired";
    case Refusal::kNotRanked:
      return "not-ranked";
  }
  return "unknown";
}

}  // namespace maejin
