// A node sells a concert out, and is killed (SIGKILL) between the commit and the boards, a hundred times: boards in Redis,
// outbox in MariaDB. Each life is a process of its own: this program again, running the last test of this file with a Life
// in its environment.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <sys/wait.h>

#include "adapters/mysql/booking_store.h"
#include "adapters/mysql/migrations.h"
#include "adapters/mysql/outbox.h"
#include "adapters/mysql/ranking_history.h"
#include "adapters/redis/ranking/ranking_store.h"
#include "base/run_task.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/redis_server.h"

namespace maejin {
namespace {

using mysql::Connection;

const Time kOpens =
    *ParseTime("2036-03-02T12:00:00Z");  // in Redis's future: what expires then is still there
constexpr char kConcertDay[] = "2036-05-01";

// How a node hands on what is in the outbox.
enum class Way {
  kAsItIs,       // tells, then forgets; the boards know what they were told
  kForgetFirst,  // a control: forgets, then tells
  kNoGuard,      // a control: the boards do not know what they were told
};

struct Life {
  std::string database;
  std::string redis;
  Way way = Way::kAsItIs;
  int number = 0;  // of the life: when it sells out, and after how many of its events it dies
};

constexpr char kLifeVariable[] = "MAEJIN_TEST_LIFE";

std::optional<Life> LifeInEnvironment() {
  const char* text = std::getenv(kLifeVariable);
  if (text == nullptr) return {};
  Life life;
  int way = 0;
  std::istringstream(text) >> life.database >> life.redis >> way >> life.number;
  life.way = static_cast<Way>(way);
  return life;
}

// As much of a node as sells and tells.
class Node {
 public:
  explicit Node(const Life& life)
      : life_(life),
        pool_(mysql::ParseUrl(life.database).value().server, {2, 64, Seconds{30}}),
        redis_(redis::ParseAddress(life.redis).value()) {
    EXPECT_TRUE(bookings_.Load(kOpens).ok());
    EXPECT_TRUE(RunTask(boards_.Warm()).ok());
  }

  // One seat, held and paid: acknowledged, so committed.
  ConcertId SellOut() {
    SchedulePlan plan;
    plan.date = *ParseDate(kConcertDay);
    plan.sections.push_back({"A", 1, 1, 100});
    ConcertDetails details{"Title", "Artist", "Venue"};
    details.booking_open_at = kOpens;
    const auto concert = RunTask(bookings_.CreateConcert(details, {plan}, kOpens)).value();
    HoldRequest request;
    request.schedule = concert.schedules[0].id;
    request.seats = {1};
    request.user = "fan";
    const auto held = RunTask(bookings_.Hold(request, kOpens)).value();
    const auto sold_out_at = kOpens + Seconds{life_.number};
    EXPECT_TRUE(
        RunTask(bookings_.PayAtOnce(ReservationRef{held.id, held.user}, PaymentRequest{100}, sold_out_at))
            .ok());
    return concert.id;
  }

  // Everything that waits; dies in the middle of what concerns `mine`.
  void TellUntilDeath(ConcertId mine) {
    Tell([&](std::vector<BookingEvent> events) {
      if (std::any_of(events.begin(), events.end(), [&](auto& event) { return IsSoldOut(event, mine); })) {
        // None, some or all of it: 0 is between commit and apply, all is between apply and forgetting.
        events.resize(static_cast<std::size_t>(life_.number) % (events.size() + 1));
        Apply(std::move(events));
        kill(getpid(), SIGKILL);
      }
      return Apply(std::move(events));
    });
  }
  // As a node that lives on does it at every tick: a dead node's connection keeps its turn for a moment.
  void TellAll() {
    const auto waiting = [this](Connection& connection) -> Outcome<bool> {
      return connection.Query("SELECT 1 FROM outbox LIMIT 1").Next();
    };
    while (RunTask(pool_.Read(waiting)).value())
      Tell([this](std::vector<BookingEvent> events) { return Apply(std::move(events)); });
  }

 private:
  static bool IsSoldOut(const BookingEvent& event, ConcertId concert) {
    const auto* sold_out = std::get_if<ConcertSoldOut>(&event.fact);
    return sold_out != nullptr && sold_out->concert == concert;
  }

  bool Apply(std::vector<BookingEvent> events) {
    if (life_.way == Way::kNoGuard) {
      for (auto& event : events) event.id += 1000 * static_cast<std::uint64_t>(life_.number + 1);
    }
    return RunTask(boards_.Apply(std::move(events))).ok();
  }

  void Tell(const mysql::OutboxRelay::Apply& apply) {
    if (life_.way != Way::kForgetFirst) {
      EXPECT_TRUE(mysql::OutboxRelay(pool_, apply).RunUntilEmpty().ok());
      return;
    }
    const auto take = [](Connection& connection,
                         const mysql::Attempt&) -> Outcome<std::vector<BookingEvent>> {
      auto events = mysql::ReadOutbox(connection, 0, 500);
      connection.Command("DELETE FROM outbox");
      return events;
    };
    apply(RunTask(pool_.Write(take)).value());
  }

  const Life life_;
  SystemRandom random_;
  mysql::Pool pool_;
  mysql::MysqlBookingStore bookings_{pool_, random_};
  mysql::MysqlRankingHistory history_{pool_};
  redis::Client redis_;
  redis::RankingStore boards_{
      redis_, history_, random_,
      redis::RankingStoreOptions{.zone = *TimeZone::Find("Asia/Seoul"), .now = kOpens}};
};

class Relay : public testing::Test {
 protected:
  void Start() {
    redis_.emplace();
    // It is not the database that dies.
    database_.emplace(std::vector<std::string>{"--innodb-flush-log-at-trx-commit=0"});
    database_->CreateDatabase();
    Connection connection(database_->Options());
    mysql::Migrate(connection);
  }
  Life LifeOf(Way way, int number) const { return {database_->Url(), redis_->Url(), way, number}; }

  // A process that sells, begins to tell, and is killed.
  void LiveAndDie(Way way, int number) const {
    const auto life = LifeOf(way, number);
    const auto status = std::system(
        fmt::format(
            "exec env {}='{} {} {} {}' '{}' --gtest_filter=Relay.LivesOnAndTellsWhatItSold >/dev/null",
            kLifeVariable, life.database, life.redis, static_cast<int>(way), number,
            std::filesystem::read_symlink("/proc/self/exe").string())
            .c_str());
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "life " << number << ": " << status;
  }
  // `lives` of them, one after the other; then a node that lives on tells what is left.
  void DieAndRecover(Way way, int lives) {
    Start();
    for (int number = 0; number < lives; ++number) ASSERT_NO_FATAL_FAILURE(LiveAndDie(way, number));
    Node(LifeOf(way, lives)).TellAll();
  }

  // What plain redis-cli says, as one line.
  std::string Cli(const std::string& words) const {
    auto text = redis_->Cli(words);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.empty() ? text : text.substr(0, text.size() - 1);
  }
  std::string Sql(const std::string& question) const {
    Connection connection(database_->Options());
    auto rows = connection.Query(question);
    return rows.Next() ? std::string(rows.Text(0)) : std::string();
  }
  std::string SoldOutsInDatabase() const {
    return Sql("SELECT CAST(COUNT(*) AS CHAR) FROM sold_out_concerts");
  }
  std::string SeatsInDatabase() const {
    return Sql("SELECT CAST(SUM(seat_count) AS CHAR) FROM reservations WHERE status = 'CONFIRMED'");
  }

  std::optional<test::RedisServer> redis_;
  std::optional<testing_support::MariaDbServer> database_;
};

constexpr const char* kConcertBoards[] = {"concert:soldout:ranking:all",
                                          "concert:soldout:ranking:daily:20360302",
                                          "concert:soldout:ranking:weekly:2036-W09",
                                          "concert:soldout:ranking:monthly:203603", "concertSoldOutRank"};

TEST_F(Relay, ASellOutIsOnEveryBoardOnceThoughNodesAreKilledBetweenCommitAndApplyAHundredTimes) {
  DieAndRecover(Way::kAsItIs, 100);
  ASSERT_EQ(SoldOutsInDatabase(), "100");
  ASSERT_EQ(SeatsInDatabase(), "100");
  for (const std::string board : kConcertBoards) {
    EXPECT_EQ(Cli("ZCARD " + board), "100") << board;
    EXPECT_EQ(Cli("ZCARD exact:" + board), "100") << board;
  }
  // Each with the time that the database has.
  EXPECT_EQ(Cli("ZRANGE concert:soldout:ranking:all 0 -1 WITHSCORES"),
            Sql("SELECT GROUP_CONCAT(CONCAT(concert_id, ' ', TIMESTAMPDIFF(MICROSECOND, booking_open_at, "
                "sold_out_at) "
                "DIV 1000) ORDER BY sold_out_at SEPARATOR ' ') FROM sold_out_concerts"));
  EXPECT_EQ(Cli("ZCARD ranking:soldout-time:203603"),
            Sql("SELECT CAST(COUNT(*) AS CHAR) FROM sold_out_schedules"));
  EXPECT_EQ(Cli(std::string("ZSCORE ranking:soldout ") + kConcertDay), SeatsInDatabase());
  EXPECT_EQ(Cli(std::string("ZSCORE ranking:soldout:2036-03-02 ") + kConcertDay), SeatsInDatabase());
  EXPECT_EQ(Cli("ZCOUNT ranking:soldout:schedule 1 1"), "100");
}

// The controls: what the order of the two steps, and the boards' memory of what they were told, are for.
TEST_F(Relay, ThatForgetsBeforeItTellsLosesSellOuts) {
  DieAndRecover(Way::kForgetFirst, 8);
  EXPECT_EQ(SoldOutsInDatabase(), "8");
  EXPECT_LT(std::stoi(Cli("ZCARD concert:soldout:ranking:all")), 8);
  EXPECT_LT(std::stoi("0" + Cli(std::string("ZSCORE ranking:soldout ") + kConcertDay)), 8);
}

TEST_F(Relay, WhoseBoardsRememberNothingCountsTwice) {
  DieAndRecover(Way::kNoGuard, 8);
  EXPECT_EQ(SeatsInDatabase(), "8");
  EXPECT_GT(std::stoi(Cli(std::string("ZSCORE ranking:soldout ") + kConcertDay)), 8);
}

TEST_F(Relay, LivesOnAndTellsWhatItSold) {
  if (const auto life = LifeInEnvironment()) {
    Node node(*life);
    node.TellUntilDeath(node.SellOut());
    FAIL() << "still alive";
  }
  Start();
  Node node(LifeOf(Way::kAsItIs, 1));
  const auto concert = node.SellOut();
  EXPECT_EQ(Cli("EXISTS concertSoldOutRank"), "0");
  node.TellAll();
  EXPECT_EQ(Cli("ZRANGE concert:soldout:ranking:all 0 -1"), std::to_string(concert));
}

}  // namespace
}  // namespace maejin
