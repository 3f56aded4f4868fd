#include "adapters/mysql/outbox.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/migrations.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/read_outbox.h"

namespace maejin::mysql {
namespace {

constexpr Time kNow = TimeFromMillis(1'767'225'600'123);
constexpr Date kDate{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};

class OutboxTest : public testing::Test {
 protected:
  OutboxTest() {
    Migrate(connection_);
    pool_.emplace(server_, PoolOptions{4, 64, Seconds{60}});
  }
  void Fill(int concerts, int events) {
    for (int c = 1; c <= concerts; ++c)
      connection_.Execute("INSERT INTO outbox_leases (concert_id) VALUES (?)", c);
    for (int e = 1; e <= events; ++e) {
      for (int c = 1; c <= concerts; ++c) AddOutbox(connection_, c, kNow, ProgressChanged{c, kDate, e, kNow});
    }
  }
  static const ProgressChanged& Fact(const BookingEvent& event) {
    return std::get<ProgressChanged>(event.fact);
  }

  ServerOptions server_ = testing_support::FreshDatabase();
  Connection connection_{server_};
  std::optional<Pool> pool_;
};

TEST_F(OutboxTest, EveryKindOfFactComesOutAsItWentIn) {
  const ScheduleSoldOut schedule{7, 3, kDate, 50, kNow, kNow + Millis{1}};
  const ConcertSoldOut concert{3, "제목 \"x\"", "가수", "장소", 2, 100, kNow, kNow + Millis{1}};
  AddOutbox(connection_, 3, kNow, ProgressChanged{7, kDate, -2, kNow});
  AddOutbox(connection_, schedule);
  AddOutbox(connection_, concert);
  const auto events = testing_support::ReadOutbox(connection_, 10);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(Fact(events[0]).seats, -2);
  EXPECT_EQ(Fact(events[0]).held_at, kNow);
  EXPECT_EQ(std::get<ScheduleSoldOut>(events[1].fact).sold_out_at, schedule.sold_out_at);
  EXPECT_EQ(std::get<ConcertSoldOut>(events[2].fact).title, concert.title);
  EXPECT_EQ(std::get<ConcertSoldOut>(events[2].fact).seats, 100);
  EXPECT_LT(events[0].id, events[1].id);
}

TEST_F(OutboxTest, ManyRelaysApplyEveryEventInTheOrderOfItsConcert) {
  Fill(5, 40);
  std::mutex mutex;
  std::map<ScheduleId, std::vector<std::int64_t>> told;
  const auto apply = [&](const std::vector<BookingEvent>& events) {
    const std::lock_guard lock(mutex);
    for (const auto& event : events) told[Fact(event).schedule].push_back(Fact(event).seats);
    return true;
  };
  std::vector<std::thread> relays;
  for (int i = 0; i < 3; ++i) {
    relays.emplace_back([&] { EXPECT_TRUE(OutboxRelay(*pool_, apply, Seconds{60}).RunUntilEmpty().ok()); });
  }
  for (auto& relay : relays) relay.join();
  ASSERT_TRUE(OutboxRelay(*pool_, apply, Seconds{60}).RunUntilEmpty().ok());
  ASSERT_EQ(told.size(), 5U);
  for (const auto& [concert, seats] : told) {
    EXPECT_EQ(seats.size(), 40U);
    EXPECT_TRUE(std::is_sorted(seats.begin(), seats.end())) << concert;
  }
  EXPECT_TRUE(testing_support::ReadOutbox(connection_, 1).empty());
}

TEST_F(OutboxTest, EventThatWasRefusedIsDeliveredAgain) {
  Fill(1, 3);
  OutboxRelay unlucky(*pool_, [](const std::vector<BookingEvent>&) { return false; });
  EXPECT_EQ(unlucky.RunOnce().error(), Refusal::kUnavailable);
  std::size_t told = 0;
  OutboxRelay relay(*pool_, [&](const std::vector<BookingEvent>& events) {
    told += events.size();
    return true;
  });
  EXPECT_EQ(*relay.RunUntilEmpty(), 3U);
  EXPECT_EQ(told, 3U);
}

TEST_F(OutboxTest, EventsOfARelayThatDiesBeforeItAcknowledgesAreAppliedAgainAfterItsLease) {
  Fill(1, 3);
  std::multiset<std::uint64_t> applied;
  OutboxRelay dying(
      *pool_,
      [&](const std::vector<BookingEvent>& events) -> bool {
        for (const auto& event : events) applied.insert(event.id);
        throw std::runtime_error("dead");
      },
      Seconds{60});
  EXPECT_THROW((void)dying.RunOnce(), std::runtime_error);
  OutboxRelay relay(*pool_, [&](const std::vector<BookingEvent>& events) {
    for (const auto& event : events) applied.insert(event.id);
    return true;
  });
  EXPECT_EQ(*relay.RunOnce(), 0U) << "leased by the dead relay";
  connection_.Execute("UPDATE outbox_leases SET leased_until = UTC_TIMESTAMP(3)");
  ASSERT_TRUE(relay.RunUntilEmpty().ok());
  EXPECT_TRUE(testing_support::ReadOutbox(connection_, 1).empty());
  EXPECT_EQ(applied.size(), 6U);
}

TEST_F(OutboxTest, NoTransactionIsOpenWhileEventsAreApplied) {
  Fill(2, 3);
  OutboxRelay relay(*pool_, [&](const std::vector<BookingEvent>&) {
    Connection other(server_);
    // If the relay had locked any of these rows, the updates would wait for the lock and then throw.
    other.Command("SET SESSION innodb_lock_wait_timeout = 1");
    other.Command("START TRANSACTION");
    other.Command("UPDATE outbox_leases SET lease = lease");
    other.Command("UPDATE outbox SET at = at");
    other.Command("ROLLBACK");
    return true;
  });
  EXPECT_EQ(*relay.RunUntilEmpty(), 6U);
  EXPECT_TRUE(testing_support::ReadOutbox(connection_, 1).empty());
}

TEST_F(OutboxTest, RelayWhoseConnectionDiesWhileItAppliesStillAcknowledges) {
  Fill(1, 3);
  std::multiset<std::uint64_t> applied;
  OutboxRelay relay(*pool_, [&](const std::vector<BookingEvent>& events) {
    for (const auto& event : events) applied.insert(event.id);
    Connection killer(server_);
    auto rows =
        killer.Query("SELECT id FROM information_schema.processlist WHERE db = ? AND id <> CONNECTION_ID()",
                     server_.database);
    std::vector<std::int64_t> ids;
    while (rows.Next()) ids.push_back(rows.Int(0));
    for (const auto id : ids) killer.Command("KILL " + std::to_string(id));
    return true;
  });
  (void)relay.RunOnce();
  Connection reader(server_);
  const auto deadline = std::chrono::steady_clock::now() + Seconds{60};
  OutboxRelay next(*pool_, [&](const std::vector<BookingEvent>& events) {
    for (const auto& event : events) applied.insert(event.id);
    return true;
  });
  while (!testing_support::ReadOutbox(reader, 1).empty() && std::chrono::steady_clock::now() < deadline) {
    (void)next.RunUntilEmpty();
  }
  EXPECT_TRUE(testing_support::ReadOutbox(reader, 1).empty());
  EXPECT_GE(applied.size(), 3U);
}

}  // namespace
}  // namespace maejin::mysql
