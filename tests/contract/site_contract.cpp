// Rooms of the operator's own, return codes and revoked passes: the same in every store of waiting rooms.
#include "base/run_task.h"
#include "tests/contract/waiting_room_contract.h"

namespace maejin {
namespace {

constexpr Time kSiteStart = TimeFromMillis(1'794'736'800'000);

RoomPatch ShopPatch() {
  RoomPatch patch;
  patch.capacity = 2;
  patch.title = "Spring sale\nat the shop";
  patch.return_urls = {"https://shop.example/tickets", "https://shop.example:8443/"};
  return patch;
}

Outcome<Done> Create(WaitingRoomBed& bed, const char* room, RoomPatch patch, Time now = kSiteStart) {
  return RunTask(bed.store().sites().CreateRoom(room, std::move(patch), "tester", now));
}

TEST_P(WaitingRoomContract, AnOwnRoomKeepsItsSettingsOverARestart) {
  const auto bed = GetParam().make(kSiteStart);
  EXPECT_TRUE(Create(*bed, "shop", ShopPatch()).ok());
  EXPECT_EQ(Create(*bed, "shop", {}).error(), Refusal::kRoomExists);
  const auto expected = Apply(DefaultSettings("shop"), ShopPatch());
  EXPECT_EQ(expected.site.visitors, Visitors::kAnonymous);
  EXPECT_EQ(RunTask(bed->store().Read("shop", kSiteStart))->settings, expected);
  EXPECT_EQ(*bed->store().sites().SiteAtOnce("shop"), expected.site);
  bed->Restart(kSiteStart);
  EXPECT_EQ(RunTask(bed->store().Read("shop", kSiteStart))->settings, expected);
}

TEST_P(WaitingRoomContract, ADeletedRoomIsUnknownAndANewOneOfItsNameIsEmpty) {
  const auto bed = GetParam().make(kSiteStart);
  EXPECT_TRUE(Create(*bed, "shop", ShopPatch()).ok());
  const auto old = RunTask(bed->store().Join({"shop", "ann"}, kSiteStart));
  const PlaceRef place{"shop", "ann", old->standing.number, old->epoch};
  EXPECT_TRUE(RunTask(bed->store().Enter(place, kSiteStart)).ok());
  auto& sites = bed->store().sites();
  EXPECT_TRUE(RunTask(sites.DeleteRoom("shop", "tester", kSiteStart)).ok());
  EXPECT_EQ(RunTask(sites.DeleteRoom("shop", "tester", kSiteStart)).error(), Refusal::kRoomNotFound);
  EXPECT_EQ(RunTask(bed->store().Poll(place, kSiteStart)).error(), Refusal::kRoomNotFound);
  EXPECT_EQ(RunTask(bed->store().Read("shop", kSiteStart)).error(), Refusal::kRoomNotFound);
  const auto later = kSiteStart + Seconds{2};
  EXPECT_TRUE(Create(*bed, "shop", ShopPatch(), later).ok());
  EXPECT_EQ(RunTask(bed->store().ReadServing("shop", later))->entered, 0U);
  EXPECT_FALSE(RunTask(bed->store().CheckInside(place, later)).ok());
  bed->Restart(later);
  EXPECT_EQ(RunTask(bed->store().Poll(place, later)).error(), Refusal::kNotQueued);
  EXPECT_TRUE(RunTask(bed->store().Join({"shop", "bob"}, later))->first);
}

TEST_P(WaitingRoomContract, ARoomWithTheNameOfAKeyTouchesNoOtherRoom) {
  const auto bed = GetParam().make(kSiteStart);
  const char* const names[] = {"count", "waiting", "active", "queue", "shop"};
  for (const auto* name : names) EXPECT_TRUE(Create(*bed, name, {}).ok()) << name;
  for (const auto* name : names)
    EXPECT_TRUE(RunTask(bed->store().Join({name, name}, kSiteStart))->first) << name;
  EXPECT_TRUE(RunTask(bed->store().Join({"main", "shop"}, kSiteStart))->first);
  for (const auto* name : names) {
    EXPECT_TRUE(RunTask(bed->store().Enter({name, name}, kSiteStart)).ok()) << name;
    EXPECT_EQ(RunTask(bed->store().ReadServing(name, kSiteStart))->entered, 1U) << name;
  }
}

TEST_P(WaitingRoomContract, ReturnCodeIsUsedOnceAndTheUseSurvivesARestart) {
  const auto bed = GetParam().make(kSiteStart);
  const auto ends = kSiteStart + Seconds{60};
  const Id128 code{{1, 2, 3}};
  const Id128 other{{4, 5, 6}};
  EXPECT_TRUE(*RunTask(bed->store().sites().UseCode(code, ends, kSiteStart)));
  EXPECT_FALSE(*RunTask(bed->store().sites().UseCode(code, ends, kSiteStart)));
  bed->Restart(kSiteStart);
  EXPECT_FALSE(*RunTask(bed->store().sites().UseCode(code, ends, kSiteStart)));
  EXPECT_TRUE(*RunTask(bed->store().sites().UseCode(other, ends, kSiteStart)));
}

TEST_P(WaitingRoomContract, FloatingRateFollowsTheLoadOverARestartAndStopsWithoutTheSetting) {
  const auto bed = GetParam().make(kSiteStart);
  RoomPatch patch;
  patch.floating.emplace(Floating{60, 600, "https://shop.example/health?a=b c"});
  patch.rate_per_minute.emplace(300);
  EXPECT_TRUE(Create(*bed, "shop", patch).ok());
  const auto step = [&](std::uint32_t load) {
    RoomPatch by_load;
    by_load.float_load = load;
    return *RunTask(bed->store().Configure("shop", by_load, "maejin", kSiteStart))->settings.rate_per_minute;
  };
  EXPECT_EQ(step(0), 327U);
  EXPECT_EQ(step(80), 327U);
  EXPECT_EQ(step(100), 218U);
  bed->Restart(kSiteStart);
  const auto settings = RunTask(bed->store().Read("shop", kSiteStart))->settings;
  EXPECT_EQ(settings.rate_per_minute, 218U);
  EXPECT_EQ(settings.site.floating, *patch.floating);
  RoomPatch removed;
  removed.floating.emplace();
  EXPECT_TRUE(RunTask(bed->store().Configure("shop", removed, "tester", kSiteStart)).ok());
  EXPECT_EQ(step(0), 218U) << "a step that was decided before the setting was removed";
}

TEST_P(WaitingRoomContract, LeaseToFloatIsTakenOnceAndByRoom) {
  const auto bed = GetParam().make(kSiteStart);
  const auto take = [&](const char* room) {
    return *RunTask(bed->store().sites().TakeFloatLease(room, Seconds{60}, kSiteStart));
  };
  EXPECT_TRUE(take("shop"));
  EXPECT_FALSE(take("shop"));
  EXPECT_TRUE(take("other"));
}

TEST_P(WaitingRoomContract, OfflineRoomKeepsASlotWithoutPollsUntilItsSessionEnds) {
  const auto bed = GetParam().make(kSiteStart);
  RoomPatch patch;
  patch.verify = Verification::kOffline;
  patch.token_ttl = Seconds{10};
  patch.session_limit = Seconds{100};
  EXPECT_TRUE(Create(*bed, "shop", patch).ok());
  EXPECT_TRUE(RunTask(bed->store().Join({"shop", "ann"}, kSiteStart)).ok());
  EXPECT_TRUE(RunTask(bed->store().Enter({"shop", "ann"}, kSiteStart)).ok());
  EXPECT_TRUE(RunTask(bed->store().CheckInside({"shop", "ann"}, kSiteStart + Seconds{99})).ok());
  EXPECT_FALSE(RunTask(bed->store().CheckInside({"shop", "ann"}, kSiteStart + Seconds{100})).ok());
}

}  // namespace
}  // namespace maejin
