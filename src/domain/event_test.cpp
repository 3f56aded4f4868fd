#include "domain/event.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(Event, JsonIsReadBackWithoutAParser) {
  const EventDraft draft{"concert.opened", TimeFromMillis(1'700'000'000'123), "room \"a\"",
                         R"({"data":",}"})"};
  std::string json;
  AppendEventId(json, 42);
  AppendEventTail(json, draft);
  EXPECT_EQ(json,
            R"({"id":42,"type":"concert.opened","time":"2023-11-14T22:13:20.123Z","subject":"room \"a\"",)"
            R"("data":{"data":",}"}})");
  const auto event = ParseEvent(json);
  EXPECT_EQ(event.id, 42);
  EXPECT_EQ(event.type, "concert.opened");
  EXPECT_EQ(EventTimeIn(json), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(EventDataIn(json), draft.data);
  EXPECT_EQ(ParseEvent("nonsense").id, 0);
}

TEST(EventFilter, NamesAndBeginningsMatch) {
  const auto filter = *EventFilter::Parse("reservation.*,concert.opened");
  EXPECT_TRUE(filter.Matches("reservation.held"));
  EXPECT_TRUE(filter.Matches("concert.opened"));
  EXPECT_FALSE(filter.Matches("concert.closed"));
  EXPECT_TRUE(EventFilter::Parse("")->Matches("room.opened")) << "no list: all";
  EXPECT_TRUE(EventFilter::Parse("*")->Matches("room.opened"));
}

TEST(EventFilter, TypesOfTheWaitlistAreAccepted) {
  for (const char* list : {"waitlist.joined", "waitlist.offered", "waitlist.passed", "waitlist.*"})
    EXPECT_TRUE(EventFilter::Parse(list).ok()) << list;
}

TEST(EventFilter, ListsThatNoTypeMatchesAreRefused) {
  for (const char* list : {"nonsense", "reservation", ",", "reservation.held.*", "*held"})
    EXPECT_EQ(EventFilter::Parse(list).error(), Refusal::kInvalidField) << list;
}

}  // namespace
}  // namespace maejin
