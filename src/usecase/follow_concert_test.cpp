// A request changed a concert and ended before it changed the room: FollowConcert::Tick() must change the
// room. Runs against the embedded stores.
#include "usecase/follow_concert.h"

#include <gtest/gtest.h>

#include <thread>

#include "adapters/embedded/waiting_room/waiting_room_store.h"
#include "base/run_task.h"
#include "tests/support/await.h"
#include "tests/support/embedded_booking.h"

namespace maejin {
namespace {

constexpr Time kNamed = TimeFromMillis(1'794'736'800'000);

class FollowConcertTest : public testing::Test {
 protected:
  static ConcertDetails Details() {
    ConcertDetails details{"Title", "Artist", "Venue"};
    details.booking_open_at = kNamed + Seconds{7200};
    return details;
  }
  // Commits a concert, as a request does before it creates the room.
  ConcertView Create(ConcertDetails details) {
    return *RunTask(bookings_.store().CreateConcert(std::move(details), {}, {"tester", kNamed}));
  }
  // A concert that is on sale, with a room that the fans enter on claim.
  ConcertView CreateOpen(std::vector<SchedulePlan> dates) {
    auto details = Details();
    details.booking_open_at = kNamed - Seconds{1};
    return *RunTask(
        bookings_.store().CreateConcert(std::move(details), std::move(dates), {"tester", kNamed}));
  }
  static SchedulePlan DateOf(std::int32_t seats) {
    SchedulePlan plan;
    plan.date = Date{std::chrono::floor<std::chrono::days>(kNamed) + std::chrono::days{30}};
    plan.sections = {{"", 1, seats, 1000}};
    return plan;
  }
  bool MayEnter(const ConcertView& concert, const PlaceAnswer& place, Time now) {
    const PlaceRef ann{RoomOf(concert.id), "ann", place.standing.number, place.epoch};
    return RunTask(rooms_.Poll(ann, now))->standing.status == PlaceStatus::kReady;
  }
  void Change(const ConcertView& concert, ConcertPatch patch) {
    ASSERT_TRUE(
        RunTask(bookings_.operations()->ChangeConcert(concert.id, std::move(patch), {"tester", kNamed}))
            .ok());
  }
  void ChangeRoom(const ConcertView& concert, RoomPatch patch) {
    ASSERT_TRUE(RunTask(rooms_.Configure(RoomOf(concert.id), std::move(patch), "tester", kNamed)).ok());
  }
  RoomInfo Room(const ConcertView& concert) { return *RunTask(rooms_.Read(RoomOf(concert.id), kNamed)); }

  EmbeddedBookingUnderTest bookings_;
  SeededRandom random_{7};
  VirtualClock clock_{kNamed};
  embedded::Connection reader_{bookings_.database(), embedded::Connection::Mode::kReadOnly};
  embedded::WaitingRoomStore rooms_{reader_, bookings_.journal(), bookings_.audit(), random_, kNamed};
  FollowConcert follow_{bookings_.store(), rooms_, clock_};
};

TEST_F(FollowConcertTest, RoomThatTickMakesBeginsAsTheConcertNamedIt) {
  auto details = Details();
  details.pre_queue.order = {PreQueueOrder::kArrival, kFirstLife};
  details.pre_queue.at = {kNamed - Seconds{1}, kFirstLife};
  const auto concert = Create(details);
  follow_.Tick();
  const auto room = Room(concert);
  EXPECT_EQ(room.settings.order, PreQueueOrder::kArrival);
  EXPECT_EQ(room.settings.pre_queue_at, kNamed - Seconds{1});
  EXPECT_EQ(room.serving.state, RoomState::kPreQueue);
  EXPECT_TRUE(room.draws.empty()) << "the pre-queue began with the named order";
}

TEST_F(FollowConcertTest, ControlRoomOfAConcertThatNamesNothingIsDrawn) {
  auto details = Details();
  details.booking_open_at = kNamed + kPreQueueBefore;
  const auto concert = Create(details);
  follow_.Tick();
  EXPECT_EQ(Room(concert).settings.order, PreQueueOrder::kDraw);
  EXPECT_EQ(Room(concert).draws.size(), 1U);
}

TEST_F(FollowConcertTest, NameGivenBeforeAnUnrelatedChangeReachesTheRoomAfterIt) {
  const auto concert = Create(Details());
  follow_.Tick();
  Change(concert, {.order = PreQueueOrder::kArrival});
  Change(concert, {.title = "Other"});
  follow_.Tick();
  EXPECT_EQ(Room(concert).settings.order, PreQueueOrder::kArrival);
}

TEST_F(FollowConcertTest, RoomThatLostTheReturnOfASeatIsToldAgain) {
  const auto concert = CreateOpen({DateOf(1)});
  follow_.Tick();
  const auto ann = *RunTask(rooms_.Join({RoomOf(concert.id), "ann"}, kNamed));
  EXPECT_TRUE(MayEnter(concert, ann, kNamed));
  // As after a lost call: the room was told that no seat is left, and not that one returned.
  rooms_.SetSeats(RoomOf(concert.id), false, kNamed);
  ASSERT_FALSE(MayEnter(concert, ann, kNamed));
  clock_.Advance(Seconds{2});
  follow_.Tick();
  EXPECT_TRUE(MayEnter(concert, ann, clock_.Now()));
}

TEST(ToldSeats, EqualSeatsAreRepeatedOnlyWhileTheBookingsAnswer) {
  const ToldSeats told{true, kNamed};
  EXPECT_FALSE(told.IsDue(true, true, kNamed + Seconds{1}));
  EXPECT_TRUE(told.IsDue(true, true, kNamed + Seconds{2}));
  EXPECT_FALSE(told.IsDue(true, false, kNamed + Seconds{60})) << "another node may have sold the last seat";
  EXPECT_TRUE(told.IsDue(false, false, kNamed)) << "a change is told at once";
}

TEST_F(FollowConcertTest, ConcertWithBlockedSeatsOnlyLetsNobodyIn) {
  auto plan = DateOf(2);
  plan.blocked = {1, 2};
  const auto concert = CreateOpen({plan});
  follow_.Tick();
  const auto ann = *RunTask(rooms_.Join({RoomOf(concert.id), "ann"}, kNamed));
  EXPECT_FALSE(MayEnter(concert, ann, kNamed));
}

TEST_F(FollowConcertTest, ControlConcertWithoutDatesSellsElsewhereAndLetsFansIn) {
  const auto concert = CreateOpen({});
  follow_.Tick();
  const auto ann = *RunTask(rooms_.Join({RoomOf(concert.id), "ann"}, kNamed));
  EXPECT_TRUE(MayEnter(concert, ann, kNamed));
}

TEST_F(FollowConcertTest, ConcertThatIsNotOnDiskHasNothingToFollow) {
  const auto& store = bookings_.store();
  std::thread creating;
  ASSERT_TRUE(bookings_.journal().BetweenCommits([&] {
    creating = std::thread([this] { Create(Details()); });
    ASSERT_TRUE(test::Await([&] { return !store.ListConcerts(0, 1, kNamed).empty(); }));
    EXPECT_EQ(store.ListConcerts(0, 1, kNamed)[0].life, kFirstLife) << "memory has it";
    EXPECT_EQ(store.ListChanges(0, 1)[0].life, 0);
  }));
  creating.join();
  EXPECT_EQ(store.ListChanges(0, 1)[0].life, kFirstLife);
}

TEST_F(FollowConcertTest, OperatorsChangeOfTheRoomStaysUntilTheConcertNamesTheFieldAgain) {
  auto details = Details();
  details.pre_queue.order = {PreQueueOrder::kArrival, kFirstLife};
  details.pre_queue.at = {kNamed + Seconds{60}, kFirstLife};
  const auto concert = Create(details);
  follow_.Tick();
  RoomPatch by_operator;
  by_operator.order = PreQueueOrder::kDraw;
  by_operator.pre_queue_at = std::optional(kNamed + Seconds{90});
  ChangeRoom(concert, by_operator);
  Change(concert, {.title = "Other"});
  follow_.Tick();
  EXPECT_EQ(Room(concert).settings.order, PreQueueOrder::kDraw);
  EXPECT_EQ(Room(concert).settings.pre_queue_at, kNamed + Seconds{90});
  Change(concert, {.pre_queue_at = std::optional(kNamed + Seconds{120})});
  follow_.Tick();
  EXPECT_EQ(Room(concert).settings.order, PreQueueOrder::kDraw) << "the change names another field";
  EXPECT_EQ(Room(concert).settings.pre_queue_at, kNamed + Seconds{120});
  Change(concert, {.order = PreQueueOrder::kArrival, .pre_queue_at = std::optional<Time>()});
  follow_.Tick();
  EXPECT_EQ(Room(concert).settings.order, PreQueueOrder::kArrival);
  EXPECT_EQ(Room(concert).settings.pre_queue_at, *details.booking_open_at - kPreQueueBefore);
}

}  // namespace
}  // namespace maejin
