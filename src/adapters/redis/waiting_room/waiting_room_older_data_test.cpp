// Redis restarts with older data. Acknowledged settings, phases and draws are kept.
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/lost_rooms.h"

namespace maejin::redis {
namespace {

class OlderData : public LostRooms {
 protected:
  void Set(RoomPatch patch) {
    ASSERT_TRUE(RunTask(store_->Configure("7", std::move(patch), "tester", now_)).ok());
  }
  RoomInfo Info() { return RunTask(store_->Read("7", now_)).value(); }
  void CreateShop() {
    RoomPatch patch;
    patch.capacity = 1;
    ASSERT_TRUE(RunTask(store_->sites().CreateRoom("shop", patch, "tester", now_)).ok());
  }
  PlaceRef JoinShop(WaitingRoomStore& store, const std::string& user) {
    const auto answer = RunTask(store.Join({"shop", user}, now_)).value();
    return {"shop", user, answer.standing.number, answer.epoch};
  }
  // Redis restarts with the data of the last SAVE.
  void Restart() {
    server_.Restart();
    now_ += Seconds{1};
    AwaitRedis();
  }
  std::vector<std::uint32_t> Ranks(const std::vector<PlaceRef>& places) {
    std::vector<std::uint32_t> ranks;
    for (const auto& place : places) EXPECT_TRUE(Poll(place).ok());
    for (const auto& place : places) ranks.push_back(Poll(place)->standing.rank.value_or(9999));
    return ranks;
  }
};

// The node that changed the settings recovers the room from its memory, a new node from the database.
TEST_F(OlderData, AcknowledgedSettingsAreKept) {
  for (const bool is_new_node : {false, true}) {
    Open(500);
    server_.Cli("SAVE");
    Set({.capacity = 7, .notice = "soon"});
    Set({.capacity = 8});
    const auto before = Info();
    if (is_new_node) Node();
    Restart();
    const auto after = Info();
    EXPECT_EQ(after.settings, before.settings) << is_new_node;
    EXPECT_GT(after.epoch, before.epoch);
    Set({.capacity = 9});
    EXPECT_EQ(Info().settings.capacity, 9U) << "a later change goes on from it";
  }
}

TEST_F(OlderData, LoweredCapacityAdmitsNoFanBeyondIt) {
  Open(2);
  const auto ann = Join("ann");
  const auto bob = Join("bob");
  ASSERT_TRUE(Enter(ann));
  server_.Cli("SAVE");
  Set({.capacity = 1});
  Restart();
  ASSERT_TRUE(Poll(bob).ok());
  now_ += Seconds{6};
  EXPECT_FALSE(Enter(bob)) << "ann is inside";
  ASSERT_TRUE(RunTask(store_->Leave(ann, now_)).ok());
  EXPECT_TRUE(Enter(bob));
}

TEST_F(OlderData, ClosedRoomStaysClosed) {
  Open(1);
  server_.Cli("SAVE");
  Set({.state = RoomState::kClosed});
  Restart();
  EXPECT_EQ(RunTask(store_->Join({"7", "late"}, now_)).error(), Refusal::kRoomClosed);
  EXPECT_EQ(Info().serving.state, RoomState::kClosed);
}

TEST_F(OlderData, SlotsEndByTheNewerSettings) {
  Open(1);
  const auto ann = Join("ann");
  ASSERT_TRUE(Enter(ann));
  server_.Cli("SAVE");
  Set({.token_ttl = Seconds{30}});
  Restart();
  Info();
  now_ += Seconds{29};
  EXPECT_EQ(RunTask(store_->ReadServing("7", now_))->entered, 1U);
  now_ += Seconds{1};
  EXPECT_EQ(RunTask(store_->ReadServing("7", now_))->entered, 0U);
}

// The opening comes after the SAVE: Redis has a pre-queue without an order.
TEST_F(OlderData, OrderOfADrawIsKept) {
  for (const bool is_new_node : {false, true}) {
    ASSERT_TRUE(RunTask(store_->EnsureRoom("7", now_)).ok());
    Set({.capacity = 0, .state = RoomState::kClosed});
    Set({.state = RoomState::kScheduled});
    Set({.state = RoomState::kPreQueue});
    std::vector<PlaceRef> places;
    const auto name = [&](int i) { return (is_new_node ? "new" : "fan") + std::to_string(i); };
    for (int i = 0; i < 20; ++i) places.push_back(Join(name(i)));
    server_.Cli("SAVE");
    for (int i = 20; i < 30; ++i) places.push_back(Join(name(i)));
    Set({.state = RoomState::kOpen});
    places.push_back(Join(name(30)));
    const auto told = Ranks(places);
    const auto draw = Info().draws.back();
    EXPECT_EQ(draw.count, 30U);
    if (is_new_node) Node();
    Restart();
    EXPECT_EQ(Info().serving.state, RoomState::kOpen);
    for (const auto& place : places) ASSERT_TRUE(Poll(place).ok());
    EXPECT_EQ(Info().draws.back().order_digest, draw.order_digest) << "no second draw";
    EXPECT_EQ(Info().draws.back().count, 30U);
    for (std::size_t i = 0; i < places.size(); ++i)
      EXPECT_EQ(server_.Cli("ZRANK queue:7 " + places[i].user), std::to_string(told[i]) + "\n") << i;
    EXPECT_TRUE(is_new_node || Ranks(places) == told) << "a new node has no mirror of before the loss";
    for (const auto& place : places) ASSERT_TRUE(RunTask(store_->Leave(place, now_)).ok());
  }
}

TEST_F(OlderData, PreQueueThatBeganLaterGoesOn) {
  ASSERT_TRUE(RunTask(store_->EnsureRoom("7", now_)).ok());
  Set({.capacity = 0, .state = RoomState::kClosed});
  Set({.state = RoomState::kScheduled});
  server_.Cli("SAVE");
  Set({.state = RoomState::kPreQueue});
  const auto ann = Join("ann");
  const auto commitment = Info().draws.back().commitment;
  Restart();
  EXPECT_EQ(Poll(ann)->standing.number, ann.number);
  EXPECT_EQ(Info().serving.state, RoomState::kPreQueue);
  ASSERT_EQ(Info().draws.size(), 1U);
  EXPECT_EQ(Info().draws.back().commitment, commitment) << "the published one";
}

// The opening was due; no operator waited for an answer.
TEST_F(OlderData, PhaseThatWasDueIsKeptByTheDatabase) {
  ASSERT_TRUE(RunTask(store_->EnsureRoom("7", now_)).ok());
  Set({.state = RoomState::kClosed});
  Set({.opens_at = now_ + Seconds{10}, .state = RoomState::kScheduled});
  server_.Cli("SAVE");
  now_ += Seconds{10};
  ASSERT_EQ(Info().serving.state, RoomState::kOpen);
  Set({.state = RoomState::kPaused});
  Node();
  Restart();
  EXPECT_EQ(Info().serving.state, RoomState::kPaused);
}

// Redis is empty, and this node has not read the last change of another node.
TEST_F(OlderData, DatabaseIsNewerThanTheMemoryOfAnotherNode) {
  Open(1);
  WaitingRoomStore other(client_, random_, log_, WaitingRoomStoreOptions{});
  ASSERT_TRUE(RunTask(other.Configure("7", {.capacity = 5}, "tester", now_)).ok());
  server_.Cli("FLUSHALL");
  EXPECT_EQ(Info().settings.capacity, 5U);
}

TEST_F(OlderData, ChangeIsAcknowledgedOnlyWhenTheDatabaseHasIt) {
  Open(1);
  server_.Cli("SAVE");
  log_.Refuse(true);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto changed = RunTask(store_->Configure("7", {.capacity = 5}, "tester", now_));
    EXPECT_EQ(changed.error(), Refusal::kUnavailable) << "not at the second attempt either";
  }
  log_.Refuse(false);
  Set({.capacity = 5});
  Node();
  Restart();
  EXPECT_EQ(Info().settings.capacity, 5U);
}

// Two nodes recovered the room at once: the database has the epoch of one, and Redis that of the other.
TEST_F(OlderData, LaterEpochOfTheDatabaseIsLearntFromARefusedSave) {
  Open(1);
  auto saved = **RunTask(log_.Room("7"));
  ++saved.epoch;
  ASSERT_TRUE(RunTask(log_.SaveRoom(saved)).ok());
  const auto refused = RunTask(store_->Configure("7", {.capacity = 5}, "tester", now_));
  EXPECT_EQ(refused.error(), Refusal::kUnavailable);
  Set({.capacity = 5});
  EXPECT_GT(Info().epoch, saved.epoch);
  EXPECT_EQ(Info().settings.capacity, 5U);
}

// The other node saves the room between the two steps of its deletion.
TEST_F(OlderData, NodeWhoseSaveADeletionRefusesDoesNotCreateTheRoomAgain) {
  RoomPatch patch;
  patch.capacity = 1;
  ASSERT_TRUE(RunTask(store_->sites().CreateRoom("shop", patch, "tester", now_)).ok());
  WaitingRoomStore other(client_, random_, log_, Options());
  ASSERT_TRUE(RunTask(other.Read("shop", now_)).ok());
  log_.AfterSave([&] {
    const auto refused = RunTask(other.Configure("shop", {.capacity = 2}, "tester", now_));
    EXPECT_EQ(refused.error(), Refusal::kUnavailable);
  });
  ASSERT_TRUE(RunTask(store_->sites().DeleteRoom("shop", "tester", now_)).ok());
  EXPECT_EQ(RunTask(other.Read("shop", now_)).error(), Refusal::kRoomNotFound);
}

// Redis restarts with data from before the deletion.
TEST_F(OlderData, DeletedRoomStaysDeleted) {
  for (const bool is_new_node : {false, true}) {
    CreateShop();
    const auto ann = JoinShop(*store_, "ann");
    server_.Cli("SAVE");
    ASSERT_TRUE(RunTask(store_->sites().DeleteRoom("shop", "tester", now_)).ok());
    if (is_new_node) Node();
    Restart();
    EXPECT_EQ(Poll(ann).error(), Refusal::kRoomNotFound) << is_new_node;
    EXPECT_EQ(RunTask(store_->Read("shop", now_)).error(), Refusal::kRoomNotFound) << is_new_node;
    EXPECT_EQ(server_.Cli("EXISTS room:shop") + server_.Cli("SISMEMBER rooms shop"), "0\n0\n");
    CreateShop();
    EXPECT_EQ(Poll(ann).error(), Refusal::kNotQueued) << is_new_node;
    EXPECT_GT(JoinShop(*store_, "bob").number, ann.number);
    ASSERT_TRUE(RunTask(store_->sites().DeleteRoom("shop", "tester", now_)).ok());
  }
}

// Redis restarts with the data of the deleted room, after a new one has its name.
TEST_F(OlderData, RoomDoesNotTakeOverThePlacesOfADeletedOne) {
  for (const bool is_new_node : {false, true}) {
    CreateShop();
    const auto ann = JoinShop(*store_, "ann");
    server_.Cli("SAVE");
    ASSERT_TRUE(RunTask(store_->sites().DeleteRoom("shop", "tester", now_)).ok());
    CreateShop();
    const auto bob = JoinShop(*store_, "bob");
    if (is_new_node) Node();
    Restart();
    ASSERT_TRUE(RunTask(store_->Read("shop", now_)).ok());
    EXPECT_EQ(Poll(ann).error(), Refusal::kNotQueued) << is_new_node;
    ASSERT_TRUE(Poll(bob).ok()) << is_new_node;
    EXPECT_EQ(Poll(bob)->standing.number, bob.number) << is_new_node;
    ASSERT_TRUE(RunTask(store_->sites().DeleteRoom("shop", "tester", now_)).ok());
  }
}

TEST_F(OlderData, RoomDoesNotRestoreThePlacesOfADeletedOne) {
  CreateShop();
  const auto ann = JoinShop(*store_, "ann");
  ASSERT_TRUE(RunTask(store_->sites().DeleteRoom("shop", "tester", now_)).ok());
  CreateShop();
  const auto bob = JoinShop(*store_, "bob");
  server_.Cli("FLUSHALL");
  ASSERT_TRUE(Poll(bob).ok());
  EXPECT_EQ(Poll(ann).error(), Refusal::kNotQueued);
}

// A fan joins at the other node between the two steps of the deletion.
TEST_F(OlderData, NumberOfADeletedRoomIsNotGivenAgain) {
  CreateShop();
  WaitingRoomStore other(client_, random_, log_, Options());
  PlaceNumber last = 0;
  log_.AfterSave([&] { last = JoinShop(other, "late").number; });
  ASSERT_TRUE(RunTask(store_->sites().DeleteRoom("shop", "tester", now_)).ok());
  ASSERT_GT(last, 0U);
  CreateShop();
  EXPECT_GT(JoinShop(*store_, "bob").number, last);
}

// The waiting fans of an undrawn pre-queue poll at the pace of the opening, also in a room that was lost.
TEST_F(OlderData, EmptyRedisGetsTheBeginningOfTheDraw) {
  ASSERT_TRUE(RunTask(store_->EnsureRoom("7", now_)).ok());
  Set({.state = RoomState::kClosed});
  Set({.state = RoomState::kScheduled});
  Set({.state = RoomState::kPreQueue});
  const auto before = server_.Cli("HGET room:7 draw_first");
  ASSERT_NE(before, "0\n");
  server_.Cli("FLUSHALL");
  Info();
  EXPECT_EQ(server_.Cli("HGET room:7 draw_first"), before);
}

// Otherwise a room with the default settings would replace the saved one.
TEST_F(OlderData, EmptyRedisIsNotFilledWithoutTheDatabase) {
  ASSERT_TRUE(RunTask(store_->EnsureRoom("main", now_)).ok());
  ASSERT_TRUE(RunTask(store_->Configure("main", {.capacity = 3}, "tester", now_)).ok());
  server_.Cli("FLUSHALL");
  Node();
  log_.Refuse(true);
  EXPECT_EQ(RunTask(store_->Read("main", now_)).error(), Refusal::kUnavailable);
  log_.Refuse(false);
  EXPECT_EQ(RunTask(store_->Read("main", now_))->settings.capacity, 3U);
}

// The concert sold out before the SAVE, and a seat became free after it.
TEST_F(OlderData, RoomIsNotHeldBackBySeatsOfThePast) {
  Open(1);
  const auto ann = Join("ann");
  store_->SetSeats("7", false, now_);
  ASSERT_TRUE(test::Await([&] { return server_.Cli("HGET room:7 has_seats") == "0\n"; }));
  server_.Cli("SAVE");
  store_->SetSeats("7", true, now_);
  ASSERT_TRUE(test::Await([&] { return server_.Cli("HGET room:7 has_seats") == "1\n"; }));
  Restart();
  ASSERT_TRUE(Poll(ann).ok());
  now_ += Seconds{6};
  ASSERT_TRUE(Poll(ann).ok());
  EXPECT_TRUE(Enter(ann));
}

}  // namespace
}  // namespace maejin::redis
