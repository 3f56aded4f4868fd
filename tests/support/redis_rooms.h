// Rooms in a real Redis, at a time of the test's own.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "adapters/redis/waiting_room/waiting_room_store.h"
#include "base/run_task.h"
#include "tests/support/all_at_once.h"
#include "tests/support/redis_server.h"
#include "tests/support/remembering_log.h"

namespace maejin::redis {

inline constexpr Time kDoors = TimeFromMillis(1'794'736'800'000);

class RedisRooms : public testing::Test {
 protected:
  WaitingRoomStore& Store(WaitingRoomStoreOptions options = {}) {
    store_.emplace(client_, random_, log_, std::move(options));
    EXPECT_TRUE(RunTask(store_->EnsureRoom("7", now_)).ok());
    return *store_;
  }
  PlaceAnswer Join(const char* room, const std::string& user) {
    return RunTask(store_->Join({room, user}, now_)).value();
  }
  void Set(const char* room, RoomPatch patch) {
    EXPECT_TRUE(RunTask(store_->Configure(room, std::move(patch), "tester", now_)).ok());
  }

  test::RedisServer server_;
  Client client_{ParseAddress(server_.Url()).value()};
  SeededRandom random_{7};
  test::RememberingLog log_;
  Time now_ = kDoors;
  std::optional<WaitingRoomStore> store_;
};

}  // namespace maejin::redis
