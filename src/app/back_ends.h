// Where a node keeps what it knows: the stores behind the ports, and what only they know of themselves. The rest of the
// program is the same whichever is behind them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "http/admin/health_routes.h"
#include "server/server.h"
#include "store/audit_store.h"
#include "store/booking_operations.h"
#include "store/booking_store.h"
#include "store/idempotency_store.h"
#include "store/ranking_store.h"
#include "store/seat_lock.h"
#include "store/waiting_room_store.h"

namespace maejin::app {

class BackEnds {
 public:
  virtual ~BackEnds() = default;

  // All of it lives as long as the object.
  struct Ports {
    const Clock& clock;
    const KeyRing& keys;
    WaitingRoomStore& rooms;
    BookingStore& bookings;
    BookingOperations& operations;
    RankingStore& rankings;
    IdempotencyStore& answers;
    AuditStore& audit;
    SeatLock* seat_lock;  // null: no other program chooses seats with us
  };
  virtual Ports ports() = 0;

  // New tokens and passes are signed with new keys from now on; the audit says who did it. The error is a sentence for the operator.
  virtual Task<Result<Done, std::string>> RotateKeys(std::string actor) = 0;
  // What /readyz asks.
  virtual std::vector<http::ReadinessCheck> Checks() const = 0;
  // "bookings" → "embedded, maejin-data/maejin.db": without secrets, for operators to read.
  virtual std::vector<std::pair<std::string, std::string>> Descriptions() const = 0;

  // Before the server starts, when everybody who listens does; and before it is destroyed.
  virtual void Attach(http::Server& server) = 0;
  virtual void Detach() = 0;
  // Blocks until what was answered is written. At the end of the program.
  virtual void Flush() = 0;
};

}  // namespace maejin::app
