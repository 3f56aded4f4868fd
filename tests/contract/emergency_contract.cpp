#include "tests/contract/emergency_contract.h"

#include "base/run_task.h"

namespace maejin {
namespace {

const Time kNow = *ParseTime("2026-01-02T12:00:00.123Z");
constexpr Seconds kSession{600};

Bypass BypassOf(const RoomId& room, Seconds length) { return {room, kNow + length, kSession}; }
Stay StayOf(const RoomId& room, const UserId& user, Time at) { return {room, user, 7, at, at + kSession}; }
using Actions = std::vector<std::string>;

TEST_P(EmergencyContract, ABypassIsInForceUntilItsEndAndSurvivesARestart) {
  const auto bypass = BypassOf("42", Seconds{60});
  EXPECT_FALSE(bed_->store().InUse(kNow));
  ASSERT_TRUE(RunTask(bed_->store().StartBypass(bypass, {"ops", kNow})).ok());
  for (int life = 0; life < 2; ++life) {
    auto& store = bed_->store();
    EXPECT_TRUE(store.InUse(kNow));
    EXPECT_EQ(store.BypassAtOnce("42", kNow), bypass);
    EXPECT_EQ(store.BypassAtOnce("42", bypass.ends_at - Millis{1}), bypass);
    EXPECT_FALSE(store.BypassAtOnce("42", bypass.ends_at));
    EXPECT_FALSE(store.BypassAtOnce("43", kNow));
    EXPECT_FALSE(store.InUse(bypass.ends_at));
    bed_->Restart(kNow);
  }
  EXPECT_EQ(bed_->Audit(), (Actions{"room.bypass"}));
}

TEST_P(EmergencyContract, AnEndedBypassIsOverAtOnceAndEndsOnce) {
  ASSERT_TRUE(RunTask(bed_->store().StartBypass(BypassOf("42", Seconds{60}), {"ops", kNow})).ok());
  EXPECT_TRUE(*RunTask(bed_->store().EndBypass("42", {"ops", kNow})));
  EXPECT_FALSE(bed_->store().BypassAtOnce("42", kNow));
  EXPECT_FALSE(*RunTask(bed_->store().EndBypass("42", {"ops", kNow})));
  bed_->Restart(kNow);
  EXPECT_FALSE(bed_->store().BypassAtOnce("42", kNow));
  EXPECT_EQ(bed_->Audit(), (Actions{"room.bypass", "room.bypass-end"}));
}

TEST_P(EmergencyContract, AStayLastsUntilItsEndAndSurvivesARestart) {
  const auto minji = StayOf("42", "minji", kNow);
  ASSERT_EQ(*RunTask(bed_->store().LetIn(minji)), minji);
  for (int life = 0; life < 2; ++life) {
    auto& store = bed_->store();
    EXPECT_TRUE(store.InUse(kNow));
    EXPECT_EQ(*RunTask(store.FindStay("42", "minji", kNow)), minji);
    EXPECT_FALSE(RunTask(store.FindStay("42", "jisoo", kNow))->has_value());
    EXPECT_FALSE(RunTask(store.FindStay("43", "minji", kNow))->has_value());
    EXPECT_EQ(store.CountStays("42", kNow), 1U);
    EXPECT_EQ(store.CountStays("43", kNow), 0U);
    bed_->Restart(kNow);
  }
  EXPECT_FALSE(RunTask(bed_->store().FindStay("42", "minji", minji.ends_at))->has_value());
  EXPECT_EQ(bed_->store().CountStays("42", minji.ends_at), 0U);
  EXPECT_EQ(bed_->Audit(), Actions{});
}

TEST_P(EmergencyContract, AFanThatIsLetInAgainKeepsTheFirstStay) {
  const auto first = StayOf("42", "minji", kNow);
  ASSERT_TRUE(RunTask(bed_->store().LetIn(first)).ok());
  EXPECT_EQ(*RunTask(bed_->store().LetIn(StayOf("42", "minji", kNow + Seconds{60}))), first);
  EXPECT_EQ(bed_->store().CountStays("42", kNow), 1U);
  // After its end a new one begins.
  const auto second = StayOf("42", "minji", first.ends_at);
  EXPECT_EQ(*RunTask(bed_->store().LetIn(second)), second);
  EXPECT_EQ(*RunTask(bed_->store().FindStay("42", "minji", first.ends_at)), second);
}

TEST_P(EmergencyContract, AStayThatEndsEarlyIsListedUntilItsEnd) {
  const auto minji = StayOf("42", "minji", kNow);
  ASSERT_TRUE(RunTask(bed_->store().LetIn(minji)).ok());
  EXPECT_TRUE(*RunTask(bed_->store().EndStay("42", "minji", std::nullopt, kNow)));
  EXPECT_FALSE(*RunTask(bed_->store().EndStay("42", "minji", std::nullopt, kNow)));
  EXPECT_FALSE(RunTask(bed_->store().FindStay("42", "minji", kNow))->has_value());
  EXPECT_EQ(bed_->store().CountStays("42", kNow), 0U);
  EXPECT_TRUE(bed_->store().InUse(kNow));
  bed_->Restart(kNow);
  EXPECT_TRUE(bed_->store().InUse(kNow));
  EXPECT_EQ(*RunTask(bed_->store().EndedStays("42", kNow)), (std::vector<Stay>{minji}));
  EXPECT_TRUE(RunTask(bed_->store().EndedStays("42", minji.ends_at))->empty());
  EXPECT_TRUE(RunTask(bed_->store().EndedStays("43", kNow))->empty());
  // The fan may come again.
  const auto again = StayOf("42", "minji", kNow + Seconds{1});
  EXPECT_EQ(*RunTask(bed_->store().LetIn(again)), again);
  std::optional<StayRevocation> revocation = StayRevocation{{"ops", kNow}, "m***"};
  EXPECT_TRUE(*RunTask(bed_->store().EndStay("42", "minji", revocation, kNow + Seconds{1})));
  EXPECT_EQ(bed_->Audit(), (Actions{"room.revoke"}));
}

TEST_P(EmergencyContract, ForgottenRoomsAndUsersHaveNoStays) {
  auto& store = bed_->store();
  ASSERT_TRUE(RunTask(store.StartBypass(BypassOf("shop", Seconds{60}), {"ops", kNow})).ok());
  for (const auto* user : {"minji", "jisoo"}) {
    ASSERT_TRUE(RunTask(store.LetIn(StayOf("shop", user, kNow))).ok());
    ASSERT_TRUE(RunTask(store.LetIn(StayOf("42", user, kNow))).ok());
  }
  ASSERT_TRUE(RunTask(store.ForgetRoom("shop")).ok());
  ASSERT_TRUE(RunTask(store.ForgetUser("minji")).ok());
  bed_->Restart(kNow);
  EXPECT_FALSE(bed_->store().BypassAtOnce("shop", kNow));
  EXPECT_FALSE(RunTask(bed_->store().FindStay("shop", "jisoo", kNow))->has_value());
  EXPECT_FALSE(RunTask(bed_->store().FindStay("42", "minji", kNow))->has_value());
  EXPECT_TRUE(RunTask(bed_->store().FindStay("42", "jisoo", kNow))->has_value());
  EXPECT_EQ(bed_->store().CountStays("42", kNow), 1U);
}

TEST_P(EmergencyContract, PruningRemovesWhatHasPassedAndNothingElse) {
  ASSERT_TRUE(RunTask(bed_->store().LetIn(StayOf("42", "past", kNow))).ok());
  const auto later = kNow + kSession;
  ASSERT_TRUE(RunTask(bed_->store().LetIn(StayOf("42", "present", later))).ok());
  bed_->store().Prune(later);
  bed_->Restart(kNow);
  // A clock that is behind shows whether the row is gone.
  EXPECT_FALSE(RunTask(bed_->store().FindStay("42", "past", kNow))->has_value());
  EXPECT_TRUE(RunTask(bed_->store().FindStay("42", "present", later))->has_value());
}

TEST_P(EmergencyContract, MaintenanceLastsUntilItIsEnded) {
  EXPECT_FALSE(bed_->store().MaintenanceAtOnce());
  EXPECT_TRUE(*RunTask(bed_->store().SetMaintenance(true, {"ops", kNow})));
  EXPECT_FALSE(*RunTask(bed_->store().SetMaintenance(true, {"ops", kNow + Seconds{1}})));
  bed_->Restart(kNow);
  EXPECT_EQ(bed_->store().MaintenanceAtOnce(), kNow);
  EXPECT_TRUE(*RunTask(bed_->store().SetMaintenance(false, {"ops", kNow})));
  EXPECT_FALSE(bed_->store().MaintenanceAtOnce());
  EXPECT_FALSE(*RunTask(bed_->store().SetMaintenance(false, {"ops", kNow})));
  bed_->Restart(kNow);
  EXPECT_FALSE(bed_->store().MaintenanceAtOnce());
  EXPECT_EQ(bed_->Audit(), (Actions{"maintenance.begin", "maintenance.end"}));
}

}  // namespace
}  // namespace maejin
