// Holds seats for an admitted customer.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/task.h"
#include "store/booking_store.h"
#include "store/seat_lock.h"
#include "store/waiting_room_store.h"
#include "usecase/count_refusals.h"
#include "usecase/require_admission.h"

namespace maejin {

struct HoldCommand {
  HoldRequest request = {};  // HoldSeats sets its `user`
  // The authenticated user of the request, if any.
  std::optional<UserId> user = {};
  // The queue token as sent, or empty.
  std::string token = {};
};

// Thread-safe. The references outlive it.
class HoldSeats {
 public:
  struct Parts {
    BookingStore& bookings;
    WaitingRoomStore& rooms;
    RequireAdmission& turn;
    const Clock& clock;
    SeatLock* lock;  // null if this node is the only one that holds seats
    CountRefusals& refusals;
  };
  explicit HoldSeats(const Parts& parts) : parts_(parts) {}

  // Refuses in this order: kScheduleNotFound, as CheckOnSale (domain/booking/booking_rules.h), kPassRequired
  // or kTokenInvalid (the concert has a room), kUnauthorized (the concert has no room, and the request no
  // user), kSeatHeld (another request has locked one of the seats), then as Concert::Hold.
  Task<Outcome<Reservation>> operator()(HoldCommand command);

 private:
  Task<Outcome<Reservation>> Decide(HoldCommand command);
  // Tells the room at once that the last AVAILABLE seat is taken. The next call of FollowConcert comes too
  // late: the room would let fans in before it.
  void EndTurnsWithoutSeats(const SaleView& sale);

  const Parts parts_;
};

}  // namespace maejin
