// Holds: chooses seats, checks the customer's limits, and takes the seats in the database.
//
// Write() writes the rows of one or more customers. Requests for named seats share a batch, which locks all
// customers with limits and counts their seats at once. A request is decided alone if:
// - the server chooses its seats, or another transaction took a seat first;
// - its idempotency key was used before;
// - its customer is at a limit, or has another hold in the batch.
#pragma once

#include <optional>
#include <vector>

#include "adapters/mysql/booking_context.h"
#include "adapters/mysql/shared_write.h"

namespace maejin::mysql {

// Thread-safe. `context` outlives it.
class HoldWriter {
 public:
  explicit HoldWriter(BookingContext& context);

  // Precondition: the mirror knows the schedule, or the schedule does not exist.
  Task<Outcome<Reservation>> Hold(HoldRequest request, Time now);

 private:
  // A request with the id its reservation will have: the same in every attempt.
  struct Order {
    HoldRequest request;
    ReservationId id;
    Time now;
  };
  using Batch = SharedWrite<Order, Outcome<Decided<Reservation>>>;
  struct Pick {
    Batch::Member* member;  // null: decided alone
    Reservation reservation;
  };
  enum class Written { kDone, kSeatsTaken, kDateClosed };

  // True: the request names its seats, and the mirror knows the date.
  bool MayShareBatch(const HoldRequest& request) const;
  // The members that can share the transaction: their seats are available in the mirror, and no other member
  // wants them.
  std::vector<Pick> PickMembers(const Batch::Members& members) const;
  // Locks the customers of concerts with limits, and removes picks whose customers may not have the seats.
  void RemoveBeyondLimits(Connection& connection, std::vector<Pick>& picks) const;
  bool DecideBatch(Connection& connection, const Batch::Members& members);
  Outcome<Decided<Reservation>> DecideAlone(Connection& connection, const Attempt& attempt,
                                            const Order& order);
  // Writes reservations, seats, counts and progress of one or more customers. The caller rolls back unless
  // the result is kDone.
  static Written Write(Connection& connection, std::vector<Pick>& picks,
                       std::vector<Decided<Reservation>>& decided);
  Outcome<std::vector<SeatNumber>> ChooseFor(Connection& connection, const ConcertRecord& concert,
                                             const HoldRequest& request, Time now) const;
  // Why the seats could not be taken. Throws kChangedRow if the server may choose other seats.
  Refused WhyTaken(Connection& connection, const HoldRequest& request, const std::vector<SeatNumber>& seats,
                   const Attempt& attempt);
  // Rolls the transaction back, and reads the shards of these seats into the mirror.
  void LearnSeats(Connection& connection, ScheduleId schedule, const std::vector<SeatNumber>& seats);

  BookingContext& context_;
  Batch batch_;
};

}  // namespace maejin::mysql
