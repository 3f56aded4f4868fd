#include "adapters/embedded/waiting_room/waiting_room_store.h"

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>
#include <unistd.h>

#include "adapters/embedded/database.h"
#include "base/run_task.h"

namespace maejin::embedded {
namespace {

class WaitingRoomStoreTest : public testing::Test {
 protected:
  WaitingRoomStoreTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Start();
  }
  ~WaitingRoomStoreTest() override {
    Stop();
    std::filesystem::remove_all(folder_);
  }
  void Start() {
    const std::string path = folder_ / "test.db";
    journal_.emplace(OpenDatabase(path));
    Connection reader(path, Connection::Mode::kReadOnly);
    audit_.emplace(reader, *journal_);
    store_.emplace(reader, *journal_, *audit_, random_, now_);
  }
  void Stop() {
    store_.reset();
    audit_.reset();
    journal_.reset();
  }
  RoomStats StatsOf(const RoomId& room) {
    for (auto& stats : store_->Stats()) {
      if (stats.room == room) return stats;
    }
    ADD_FAILURE() << "no room " << room;
    return {};
  }
  static std::uint64_t Ends(const RoomStats& stats, Ending ending) {
    return stats.ends[static_cast<std::size_t>(ending)];
  }
  void Join(const RoomId& room, const UserId& user) {
    ASSERT_TRUE(RunTask(store_->Join({room, user}, now_)).ok());
  }

  Time now_ = TimeFromMillis(1'794'736'800'000);
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("maejin-room-store-" + std::to_string(getpid()));
  SeededRandom random_{7};
  std::optional<Journal> journal_;
  std::optional<AuditLog> audit_;
  std::optional<WaitingRoomStore> store_;
};

TEST_F(WaitingRoomStoreTest, ThousandsOfRoomsKeepApartTickAndSurvive) {
  constexpr int kRooms = 2000;
  for (int room = 1; room <= kRooms; ++room) {
    const auto name = std::to_string(room);
    ASSERT_TRUE(RunTask(store_->EnsureRoom(name, now_)).ok());
    Join(name, "ann");
    Join(name, "bob");
    ASSERT_TRUE(RunTask(store_->Enter({name, "ann"}, now_)).ok());
  }
  Stop();
  Start();
  EXPECT_EQ(store_->Rooms().size(), kRooms + 1U);
  for (const auto& stats : store_->Stats()) {
    if (stats.room == kMainRoom) continue;
    EXPECT_EQ(stats.serving.entered, 1U) << stats.room;
    EXPECT_EQ(stats.serving.waiting, 1U) << stats.room;
  }
  now_ += Seconds{300};
  store_->Tick(now_);
  std::uint64_t expired = 0;
  for (const auto& stats : store_->Stats()) expired += Ends(stats, Ending::kExpired);
  EXPECT_EQ(expired, static_cast<std::uint64_t>(kRooms)) << "ann's slot, in every room";
}

TEST_F(WaitingRoomStoreTest, NumberAdmittedLastSurvives) {
  for (const char* user : {"ann", "bob", "cat"}) Join(kMainRoom, user);
  ASSERT_EQ(StatsOf(kMainRoom).serving.serving, 3U);
  Stop();
  Start();
  EXPECT_EQ(StatsOf(kMainRoom).serving.serving, 3U) << "cat is inside";
  ASSERT_TRUE(RunTask(store_->Leave({kMainRoom, "cat"}, now_)).ok());
  Stop();
  Start();
  EXPECT_EQ(StatsOf(kMainRoom).serving.serving, 3U) << "cat has left";
}

TEST_F(WaitingRoomStoreTest, ANumberOfAnotherEpochIsNoPlace) {
  ASSERT_TRUE(RunTask(store_->EnsureRoom("7", now_)).ok());
  const auto joined = RunTask(store_->Join({"7", "ann"}, now_));
  const auto poll = [&](std::uint32_t epoch) {
    return RunTask(store_->Poll({"7", "ann", joined->standing.number, epoch}, now_));
  };
  EXPECT_TRUE(poll(joined->epoch).ok());
  EXPECT_EQ(poll(joined->epoch + 1).error(), Refusal::kNotQueued);
}

TEST_F(WaitingRoomStoreTest, StatsCountWhatHappensOnce) {
  ASSERT_TRUE(
      RunTask(store_->Configure(kMainRoom, {.capacity = 2, .token_ttl = Seconds{10}}, "tester", now_)).ok());
  for (const char* user : {"ann", "bob", "cat", "dan"}) Join(kMainRoom, user);
  Join(kMainRoom, "dan");
  EXPECT_TRUE(store_->PollAtOnce({kMainRoom, "cat"}, now_)->ok());
  EXPECT_FALSE(store_->PollAtOnce({kMainRoom, "eve"}, now_)->ok());
  ASSERT_TRUE(RunTask(store_->Leave({kMainRoom, "bob"}, now_)).ok());
  ASSERT_TRUE(RunTask(store_->Leave({kMainRoom, "bob"}, now_)).ok());
  const auto stats = StatsOf(kMainRoom);
  EXPECT_EQ(stats.arrivals, 4U);
  EXPECT_EQ(stats.admissions, 3U);
  EXPECT_EQ(stats.polls, 2U);
  EXPECT_EQ(Ends(stats, Ending::kLeft), 1U);
  EXPECT_EQ(stats.serving.waiting, 1U);
  EXPECT_EQ(stats.serving.entered, 2U);
}

TEST_F(WaitingRoomStoreTest, NoShowsAreSlotsWhoseFanNeverCameAndTurnsThatPassed) {
  ASSERT_TRUE(
      RunTask(store_->Configure(kMainRoom, {.capacity = 1, .token_ttl = Seconds{10}}, "tester", now_)).ok());
  Join(kMainRoom, "ann");
  Join(kMainRoom, "bob");
  ASSERT_TRUE(RunTask(store_->Leave({kMainRoom, "ann"}, now_)).ok());  // bob is pushed in, and never comes
  now_ += Seconds{10};
  store_->Tick(now_);
  EXPECT_EQ(StatsOf(kMainRoom).no_shows, 1U);
  EXPECT_EQ(Ends(StatsOf(kMainRoom), Ending::kExpired), 1U);

  ASSERT_TRUE(RunTask(store_->Configure(kMainRoom, {.admission = Admission::kClaim}, "tester", now_)).ok());
  Join(kMainRoom, "cat");  // is told that it may enter
  for (int second = 0; second < 61; ++second) {
    now_ += Seconds{1};
    EXPECT_TRUE(store_->PollAtOnce({kMainRoom, "cat"}, now_)->ok());
  }
  EXPECT_EQ(StatsOf(kMainRoom).no_shows, 2U);
}

TEST_F(WaitingRoomStoreTest, PassesOfALoweredSessionLimitAreRevokedUntilTheirOwnEndAlsoAfterARestart) {
  RoomPatch offline;
  offline.verify = Verification::kOffline;
  offline.capacity = 3;
  offline.session_limit = Seconds{1000};
  ASSERT_TRUE(RunTask(store_->sites().CreateRoom("shop", offline, "tester", now_)).ok());
  const auto passes_end_at = now_ + Seconds{1000};
  for (const char* user : {"ann", "bob"}) {
    Join("shop", user);
    ASSERT_TRUE(RunTask(store_->Enter({"shop", user}, now_)).ok());
  }
  Join("shop", "cat");  // waits: there is no pass
  ASSERT_TRUE(RunTask(store_->Configure("shop", {.session_limit = Seconds{30}}, "tester", now_)).ok());
  ASSERT_TRUE(RunTask(store_->Revoke({"shop", "ann", "user x", "tester"}, now_)).ok());
  Stop();
  Start();
  now_ += Seconds{30};
  store_->Tick(now_);
  const auto revoked = [&](Time now) { return *RunTask(store_->sites().Revocations("shop", now)); };
  const auto listed = revoked(now_);
  ASSERT_EQ(listed.size(), 2U);
  for (const auto& each : listed) EXPECT_EQ(each.expires_at, passes_end_at);
  EXPECT_EQ(revoked(passes_end_at - Millis{1}).size(), 2U);
  EXPECT_TRUE(revoked(passes_end_at).empty());
}

}  // namespace
}  // namespace maejin::embedded
