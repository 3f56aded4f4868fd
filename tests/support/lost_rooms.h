// Rooms in a Redis that loses its memory, and a database that remembers.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "adapters/redis/waiting_room/waiting_room_store.h"
#include "base/run_task.h"
#include "tests/support/all_at_once.h"
#include "tests/support/await.h"
#include "tests/support/redis_server.h"
#include "tests/support/remembering_log.h"

namespace maejin::redis {

inline constexpr Time kStart = TimeFromMillis(1'794'736'800'000);

class LostRooms : public testing::Test {
 protected:
  LostRooms() { Node(); }

  WaitingRoomStoreOptions Options() {
    WaitingRoomStoreOptions options;
    options.hold_after_loss = Millis{5000};
    // The last that a node does for a room when it ticks.
    options.seats_left = [this](const RoomId&) {
      ++ticks_;
      return std::optional<std::int64_t>{};
    };
    return options;
  }
  // Another node: it knows nothing yet.
  void Node() {
    store_.reset();
    store_.emplace(client_, random_, log_, Options());
  }
  void Open(std::uint32_t capacity) {
    ASSERT_TRUE(RunTask(store_->EnsureRoom("7", now_)).ok());
    RoomPatch patch;
    patch.capacity = capacity;
    patch.notice = std::string("two\nlines");
    ASSERT_TRUE(RunTask(store_->Configure("7", patch, "tester", now_)).ok());
  }
  PlaceRef Join(const std::string& user) {
    const auto answer = RunTask(store_->Join({"7", user}, now_)).value();
    return {"7", user, answer.standing.number, answer.epoch};
  }
  Outcome<PlaceAnswer> Poll(const PlaceRef& place) { return RunTask(store_->Poll(place, now_)); }
  bool Enter(const PlaceRef& place) { return RunTask(store_->Enter(place, now_)).ok(); }
  // Enters and leaves, and the database knows.
  PlaceRef UseUp(const std::string& user) {
    auto place = Join(user);
    EXPECT_TRUE(Enter(place));
    EXPECT_TRUE(RunTask(store_->Leave(place, now_)).ok());
    TickUntil([&] { return log_.ended() == 1; });
    return place;
  }
  void AwaitRedis() {
    ASSERT_TRUE(test::Await([&] { return RunTask(client_.Call(Command{"PING"})).ok(); }));
  }
  // Advances the test's clock by a second, and returns when the nodes have ticked.
  void Tick(std::initializer_list<WaitingRoomStore*> nodes) {
    now_ += Millis{1000};
    for (auto* node : nodes) {
      const auto before = ticks_.load();
      node->Tick(now_);
      test::Await([&] { return ticks_ > before; }, Seconds{5});  // one that was refused does not say so
      std::ignore = RunTask(client_.Call(Command("PING")));      // answered when the tick has ended
    }
  }
  template <class Condition>
  void TickUntil(Condition condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) Tick({&*store_});
    ASSERT_TRUE(condition());
  }

  test::RedisServer server_;
  Client client_{ParseAddress(server_.Url()).value()};
  SeededRandom random_{7};
  test::RememberingLog log_;
  Time now_ = kStart;
  std::atomic<int> ticks_{0};
  std::optional<WaitingRoomStore> store_;
};

}  // namespace maejin::redis
