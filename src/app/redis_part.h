// Redis as a part of the application: the connection, the clock all nodes share, and the rooms that live
// there.
#pragma once

#include <memory>
#include <optional>

#include "adapters/redis/client/client.h"
#include "adapters/redis/client/corrected_clock.h"
#include "adapters/redis/lock/seat_lock.h"
#include "adapters/redis/ranking/ranking_store.h"
#include "adapters/redis/waiting_room/waiting_room_store.h"
#include "base/key_ring.h"
#include "base/random.h"
#include "server/server.h"
#include "store/booking_store.h"
#include "store/waiting_room_store.h"

namespace maejin::app {

class RedisPart {
 public:
  // Connects, and throws a sentence for the operator where Redis does not answer or is unfit (it evicts, is
  // too old, forbids scripts).
  RedisPart(const redis::Address& address, const Clock& own);

  const Clock& clock() const { return clock_; }
  // Redis answers, and takes writes.
  bool ready() const { return client_.connected() && client_.writable(); }
  // "redis, redis://…", without the password.
  std::string Description() const { return "redis, " + address_; }

  struct RoomParts {
    Random& random;
    const KeyRing& keys;
    const BookingStore& bookings;  // tells the seats left of a concert
    decltype(redis::WaitingRoomStoreOptions::audit) audit;
    AdmissionLog& admissions;
  };
  // The part outlives them, and the boards' history them too.
  std::unique_ptr<WaitingRoomStore> MakeRooms(RoomParts parts);
  std::unique_ptr<redis::RankingStore> MakeBoards(RankingHistory& history, Random& random, TimeZone zone);
  SeatLock& seat_lock() { return seat_lock_; }

  // Every serving thread gets a connection of its own; before the server starts. Detach before it is
  // destroyed.
  void Attach(http::Server& server);
  void Detach() { client_.Detach(); }

 private:
  const std::string address_;
  redis::Client client_;
  redis::CorrectedClock clock_;
  redis::RedisSeatLock seat_lock_{client_};
};

}  // namespace maejin::app
