// Redis as a part of the application: the connection, the clock all nodes share, and the rooms that live
// there.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "adapters/embedded/audit_log.h"
#include "adapters/redis/client.h"
#include "adapters/redis/corrected_clock.h"
#include "base/key_ring.h"
#include "base/random.h"
#include "http/server/server.h"
#include "store/waiting_room_store.h"

namespace maejin::cli {

class RedisPart {
 public:
  // Connects, and throws a sentence for the operator where Redis does not answer or is unfit (it evicts, is
  // too old, forbids scripts).
  RedisPart(const redis::Address& address, const Clock& own);

  const Clock& clock() const { return clock_; }
  bool connected() const { return client_.connected(); }

  struct RoomParts {
    Random& random;
    const KeyRing& keys;
    embedded::AuditLog& audit;
    // Seats left of a concert.
    std::function<std::optional<std::int64_t>(const RoomId&)> seats_left;
  };
  // The part outlives them.
  std::unique_ptr<WaitingRoomStore> MakeRooms(RoomParts parts);

  // Every serving thread gets a connection of its own; before the server starts. Detach before it is
  // destroyed.
  void Attach(http::Server& server);
  void Detach() { client_.Detach(); }

 private:
  redis::Client client_;
  redis::CorrectedClock clock_;
};

}  // namespace maejin::cli
