#include "adapters/mysql/event_feed.h"

#include <gtest/gtest.h>

#include "adapters/mysql/event_rows.h"
#include "adapters/mysql/migrations.h"
#include "base/run_task.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

constexpr Time kFedAt = TimeFromMillis(1'767'225'600'123);

class EventFeedTest : public testing::Test {
 protected:
  EventFeedTest() { Migrate(connection_); }

  // One transaction with `many` events.
  void Add(int many) {
    std::vector<EventDraft> drafts;
    for (int i = 0; i < many; ++i) {
      ++added_;
      drafts.push_back({added_ % 2 ? "reservation.held" : "reservation.confirmed", kFedAt,
                        "reservation \"" + std::to_string(added_) + "\"",
                        "{\"n\":" + std::to_string(added_) + "}"});
    }
    AddEvents(connection_, drafts);
  }
  EventPage Read(std::int64_t after, std::size_t limit, std::string_view types = "") {
    EventQuery query{after, *EventFilter::Parse(types), limit};
    return *RunTask(feed_.Read(std::move(query)));
  }
  static std::vector<std::int64_t> IdsOf(const EventPage& page) {
    std::vector<std::int64_t> ids;
    for (const auto& event : page.events) ids.push_back(event.id);
    return ids;
  }

  ServerOptions server_ = testing_support::FreshDatabase();
  Connection connection_{server_};
  Pool pool_{server_, PoolOptions{2, 64, Seconds{60}}};
  MysqlEventFeed feed_{pool_};
  int added_ = 0;
};

TEST_F(EventFeedTest, EventsOfOneTransactionGetIdsInARow) {
  Add(3);
  Add(1);
  feed_.NumberEvents();
  Add(2);
  EXPECT_EQ(IdsOf(Read(0, 100)), (std::vector<std::int64_t>{1, 2, 3, 4})) << "the others have no ids yet";
  feed_.NumberEvents();
  const auto page = Read(0, 100);
  EXPECT_EQ(IdsOf(page), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(page.events[4].json, R"({"id":5,"type":"reservation.held","time":"2026-01-01T00:00:00.123Z",)"
                                 R"("subject":"reservation \"5\"","data":{"n":5}})");
  EXPECT_EQ(feed_.NewestAtOnce(), 6);
}

TEST_F(EventFeedTest, PageMayBeginAndEndWithinATransaction) {
  Add(5);
  Add(2);
  feed_.NumberEvents();
  const auto page = Read(1, 3);
  EXPECT_EQ(IdsOf(page), (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(page.next, 4);
  const auto held = Read(2, 2, "reservation.held");
  EXPECT_EQ(IdsOf(held), (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(held.next, 5);
  const auto rest = Read(held.next, 2, "reservation.held");
  EXPECT_EQ(IdsOf(rest), (std::vector<std::int64_t>{7}));
  EXPECT_EQ(rest.next, 7);
}

TEST_F(EventFeedTest, EventsOfAnEarlierSchemaAreReadAsBefore) {
  connection_.Execute(
      "INSERT INTO events (id, type, at, subject, data) VALUES (1, 'reservation.held', ?, ?, ?)", kFedAt,
      "reservation \"1\"", "{\"n\":1}");
  connection_.Execute("UPDATE event_head SET last_id = 1");
  connection_.Execute("DELETE FROM schema_versions WHERE version >= 23");
  Migrate(connection_);
  feed_.NumberEvents();
  const auto page = Read(0, 10);
  ASSERT_EQ(IdsOf(page), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(page.events[0].json, R"({"id":1,"type":"reservation.held","time":"2026-01-01T00:00:00.123Z",)"
                                 R"("subject":"reservation \"1\"","data":{"n":1}})");
}

}  // namespace
}  // namespace maejin::mysql
