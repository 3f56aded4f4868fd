// Builds everything that uses Redis: client, shared clock, waiting rooms, boards and seat lock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

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

// Redis is unreachable, or unfit for waiting rooms. The text is a sentence for the operator.
class RedisUnfit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RedisModule {
 public:
  // Connects. Throws RedisUnfit if Redis does not answer or is unfit
  // (evicts keys, is too old, forbids scripts).
  RedisModule(const redis::Address& address, const Clock& own);

  const Clock& clock() const { return clock_; }
  // Redis answers, and takes writes.
  bool ready() const { return client_.connected() && client_.writable(); }
  // "redis, redis://…", without the password.
  std::string Description() const { return "redis, " + address_; }

  struct RoomDependencies {
    Random& random;
    const KeyRing& keys;
    const BookingStore& bookings;  // for the number of free seats
    decltype(redis::WaitingRoomStoreOptions::audit) audit;
    AdmissionLog& admissions;
  };
  // The module outlives the results. `history` outlives the boards.
  std::unique_ptr<WaitingRoomStore> MakeRooms(RoomDependencies deps);
  std::unique_ptr<redis::RankingStore> MakeBoards(RankingHistory& history, Random& random, TimeZone zone);
  SeatLock& seat_lock() { return seat_lock_; }
  // Sends a text to all other nodes that listen. During an outage of Redis the text is lost.
  void Broadcast(std::string text);
  // `listener` runs on the client's thread and must not block. It may be called once more after the
  // subscription has ended.
  redis::Client::Subscription ListenToNodes(std::function<void(std::string_view)> listener);

  // Attach gives every server thread its own connection; call it before the server starts. Call Detach before
  // the server is destroyed.
  void Attach(http::Server& server);
  void Detach() { client_.Detach(); }

 private:
  const std::string address_;
  redis::Client client_;
  redis::CorrectedClock clock_;
  const std::string node_;  // differs between nodes: a node ignores its own messages
  redis::RedisSeatLock seat_lock_{client_};
};

}  // namespace maejin::app
