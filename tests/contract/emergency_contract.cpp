#include "tests/contract/emergency_contract.h"

#include "base/run_task.h"

namespace maejin {
namespace {

const Time kEmergencyNow = *ParseTime("2026-01-02T12:00:00.123Z");
constexpr Seconds kSession{600};

Bypass BypassOf(const RoomId& room, Seconds length) { return {room, kEmergencyNow + length, kSession}; }
Stay StayOf(const RoomId& room, const UserId& user, Time at) { return {room, user, 7, at, at + kSession}; }
using Actions = std::vector<std::string>;

TEST_P(EmergencyContract, ABypassIsInForceUntilItsEndAndSurvivesARestart) {
  const auto bypass = BypassOf("42", Seconds{60});
  EXPECT_FALSE(bed_->store().InUse(kEmergencyNow));
  ASSERT_TRUE(RunTask(bed_->store().StartBypass(bypass, {"ops", kEmergencyNow})).ok());
  for (int life = 0; life < 2; ++life) {
    auto& store = bed_->store();
    EXPECT_TRUE(store.InUse(kEmergencyNow));
    EXPECT_EQ(store.BypassAtOnce("42", kEmergencyNow), bypass);
    EXPECT_EQ(store.BypassAtOnce("42", bypass.ends_at - Millis{1}), bypass);
    EXPECT_FALSE(store.BypassAtOnce("42", bypass.ends_at));
    EXPECT_FALSE(store.BypassAtOnce("43", kEmergencyNow));
    EXPECT_FALSE(store.InUse(bypass.ends_at));
    bed_->Restart(kEmergencyNow);
  }
  EXPECT_EQ(bed_->Audit(), (Actions{"room.bypass"}));
}

TEST_P(EmergencyContract, AnEndedBypassIsOverAtOnceAndEndsOnce) {
  ASSERT_TRUE(RunTask(bed_->store().StartBypass(BypassOf("42", Seconds{60}), {"ops", kEmergencyNow})).ok());
  EXPECT_TRUE(*RunTask(bed_->store().EndBypass("42", {"ops", kEmergencyNow})));
  EXPECT_FALSE(bed_->store().BypassAtOnce("42", kEmergencyNow));
  EXPECT_FALSE(*RunTask(bed_->store().EndBypass("42", {"ops", kEmergencyNow})));
  bed_->Restart(kEmergencyNow);
  EXPECT_FALSE(bed_->store().BypassAtOnce("42", kEmergencyNow));
  EXPECT_EQ(bed_->Audit(), (Actions{"room.bypass", "room.bypass-end"}));
}

TEST_P(EmergencyContract, AStayLastsUntilItsEndAndSurvivesARestart) {
  const auto minji = StayOf("42", "minji", kEmergencyNow);
  ASSERT_EQ(*RunTask(bed_->store().LetIn(minji)), minji);
  for (int life = 0; life < 2; ++life) {
    auto& store = bed_->store();
    EXPECT_TRUE(store.InUse(kEmergencyNow));
    EXPECT_EQ(*RunTask(store.FindStay("42", "minji", kEmergencyNow)), minji);
    EXPECT_FALSE(RunTask(store.FindStay("42", "jisoo", kEmergencyNow))->has_value());
    EXPECT_FALSE(RunTask(store.FindStay("43", "minji", kEmergencyNow))->has_value());
    EXPECT_EQ(store.CountStays("42", kEmergencyNow), 1U);
    EXPECT_EQ(store.CountStays("43", kEmergencyNow), 0U);
    bed_->Restart(kEmergencyNow);
  }
  EXPECT_FALSE(RunTask(bed_->store().FindStay("42", "minji", minji.ends_at))->has_value());
  EXPECT_EQ(bed_->store().CountStays("42", minji.ends_at), 0U);
  EXPECT_EQ(bed_->Audit(), Actions{});
}

TEST_P(EmergencyContract, AFanThatIsLetInAgainKeepsTheFirstStay) {
  const auto first = StayOf("42", "minji", kEmergencyNow);
  ASSERT_TRUE(RunTask(bed_->store().LetIn(first)).ok());
  EXPECT_EQ(*RunTask(bed_->store().LetIn(StayOf("42", "minji", kEmergencyNow + Seconds{60}))), first);
  EXPECT_EQ(bed_->store().CountStays("42", kEmergencyNow), 1U);
  // After its end a new one begins.
  const auto second = StayOf("42", "minji", first.ends_at);
  EXPECT_EQ(*RunTask(bed_->store().LetIn(second)), second);
  EXPECT_EQ(*RunTask(bed_->store().FindStay("42", "minji", first.ends_at)), second);
}

TEST_P(EmergencyContract, AStayThatEndsEarlyIsListedUntilItsEnd) {
  const auto minji = StayOf("42", "minji", kEmergencyNow);
  ASSERT_TRUE(RunTask(bed_->store().LetIn(minji)).ok());
  EXPECT_TRUE(*RunTask(bed_->store().EndStay("42", "minji", std::nullopt, kEmergencyNow)));
  EXPECT_FALSE(*RunTask(bed_->store().EndStay("42", "minji", std::nullopt, kEmergencyNow)));
  EXPECT_FALSE(RunTask(bed_->store().FindStay("42", "minji", kEmergencyNow))->has_value());
  EXPECT_EQ(bed_->store().CountStays("42", kEmergencyNow), 0U);
  EXPECT_TRUE(bed_->store().InUse(kEmergencyNow));
  bed_->Restart(kEmergencyNow);
  EXPECT_TRUE(bed_->store().InUse(kEmergencyNow));
  EXPECT_EQ(*RunTask(bed_->store().EndedStays("42", kEmergencyNow)), (std::vector<Stay>{minji}));
  EXPECT_TRUE(RunTask(bed_->store().EndedStays("42", minji.ends_at))->empty());
  EXPECT_TRUE(RunTask(bed_->store().EndedStays("43", kEmergencyNow))->empty());
  // The fan may come again.
  const auto again = StayOf("42", "minji", kEmergencyNow + Seconds{1});
  EXPECT_EQ(*RunTask(bed_->store().LetIn(again)), again);
  std::optional<StayRevocation> revocation = StayRevocation{{"ops", kEmergencyNow}, "m***"};
  EXPECT_TRUE(*RunTask(bed_->store().EndStay("42", "minji", revocation, kEmergencyNow + Seconds{1})));
  EXPECT_EQ(bed_->Audit(), (Actions{"room.revoke"}));
}

TEST_P(EmergencyContract, ForgottenRoomsAndUsersHaveNoStays) {
  auto& store = bed_->store();
  ASSERT_TRUE(RunTask(store.StartBypass(BypassOf("shop", Seconds{60}), {"ops", kEmergencyNow})).ok());
  for (const auto* user : {"minji", "jisoo"}) {
    ASSERT_TRUE(RunTask(store.LetIn(StayOf("shop", user, kEmergencyNow))).ok());
    ASSERT_TRUE(RunTask(store.LetIn(StayOf("42", user, kEmergencyNow))).ok());
  }
  ASSERT_TRUE(RunTask(store.ForgetRoom("shop")).ok());
  ASSERT_TRUE(RunTask(store.ForgetUser("minji")).ok());
  bed_->Restart(kEmergencyNow);
  EXPECT_FALSE(bed_->store().BypassAtOnce("shop", kEmergencyNow));
  EXPECT_FALSE(RunTask(bed_->store().FindStay("shop", "jisoo", kEmergencyNow))->has_value());
  EXPECT_FALSE(RunTask(bed_->store().FindStay("42", "minji", kEmergencyNow))->has_value());
  EXPECT_TRUE(RunTask(bed_->store().FindStay("42", "jisoo", kEmergencyNow))->has_value());
  EXPECT_EQ(bed_->store().CountStays("42", kEmergencyNow), 1U);
}

TEST_P(EmergencyContract, PruningRemovesWhatHasPassedAndNothingElse) {
  ASSERT_TRUE(RunTask(bed_->store().LetIn(StayOf("42", "past", kEmergencyNow))).ok());
  const auto later = kEmergencyNow + kSession;
  ASSERT_TRUE(RunTask(bed_->store().LetIn(StayOf("42", "present", later))).ok());
  bed_->store().Prune(later);
  bed_->Restart(kEmergencyNow);
  // A clock that is behind shows whether the row is gone.
  EXPECT_FALSE(RunTask(bed_->store().FindStay("42", "past", kEmergencyNow))->has_value());
  EXPECT_TRUE(RunTask(bed_->store().FindStay("42", "present", later))->has_value());
}

TEST_P(EmergencyContract, MaintenanceLastsUntilItIsEnded) {
  EXPECT_FALSE(bed_->store().MaintenanceAtOnce());
  EXPECT_TRUE(*RunTask(bed_->store().SetMaintenance(true, {"ops", kEmergencyNow})));
  EXPECT_FALSE(*RunTask(bed_->store().SetMaintenance(true, {"ops", kEmergencyNow + Seconds{1}})));
  bed_->Restart(kEmergencyNow);
  EXPECT_EQ(bed_->store().MaintenanceAtOnce(), kEmergencyNow);
  EXPECT_TRUE(*RunTask(bed_->store().SetMaintenance(false, {"ops", kEmergencyNow})));
  EXPECT_FALSE(bed_->store().MaintenanceAtOnce());
  EXPECT_FALSE(*RunTask(bed_->store().SetMaintenance(false, {"ops", kEmergencyNow})));
  bed_->Restart(kEmergencyNow);
  EXPECT_FALSE(bed_->store().MaintenanceAtOnce());
  EXPECT_EQ(bed_->Audit(), (Actions{"maintenance.begin", "maintenance.end"}));
}

}  // namespace
}  // namespace maejin
