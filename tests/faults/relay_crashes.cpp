// A node sells a concert out and is killed (SIGKILL) between the commit and the update of the boards, a
// hundred times. Boards are on Redis, the outbox is in MariaDB. Each node is a child process: this program
// running the last test of this file with a ChildTask in its environment.
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
#include "tests/support/read_outbox.h"
#include "tests/support/redis_server.h"

namespace maejin {
namespace {

using mysql::Connection;

const Time kOpens = *ParseTime("2036-03-02T12:00:00Z");  // in the future, so that Redis expires nothing
constexpr char kConcertDay[] = "2036-05-01";

// How a node relays the outbox.
enum class RelayMode {
  kProduct,          // applies, then deletes; the boards deduplicate
  kDeleteFirst,      // control: deletes, then applies
  kNoDeduplication,  // control: the boards do not deduplicate
};

struct ChildTask {
  std::string database;
  std::string redis;
  RelayMode mode = RelayMode::kProduct;
  int number = 0;  // determines the time of the sell-out and how many events are applied before the crash
};

constexpr char kTaskVariable[] = "MAEJIN_TEST_TASK";

std::optional<ChildTask> TaskFromEnvironment() {
  const char* text = std::getenv(kTaskVariable);
  if (text == nullptr) return {};
  ChildTask task;
  int mode = 0;
  std::istringstream(text) >> task.database >> task.redis >> mode >> task.number;
  task.mode = static_cast<RelayMode>(mode);
  return task;
}

// The parts of a node that sell and relay.
class Node {
 public:
  explicit Node(const ChildTask& task)
      : task_(task),
        pool_(mysql::ParseUrl(task.database).value().server, {2, 64, Seconds{30}}),
        redis_(redis::ParseAddress(task.redis).value()) {
    EXPECT_TRUE(bookings_.Load(kOpens).ok());
    EXPECT_TRUE(RunTask(boards_.EnsureComplete()).ok());
  }

  // Holds and pays the only seat. Committed on return.
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
    const auto sold_out_at = kOpens + Seconds{task_.number};
    EXPECT_TRUE(
        RunTask(bookings_.PayAtOnce(ReservationRef{held.id, held.user}, PaymentRequest{100}, sold_out_at))
            .ok());
    return concert.id;
  }

  // Relays everything, and crashes while applying the events of `mine`.
  void RelayUntilCrash(ConcertId mine) {
    RelayWith([&](std::vector<BookingEvent> events) {
      if (std::any_of(events.begin(), events.end(), [&](auto& event) { return IsSoldOut(event, mine); })) {
        // Applies none, some or all events: none is before the apply, all is before the delete.
        events.resize(static_cast<std::size_t>(task_.number) % (events.size() + 1));
        Apply(std::move(events));
        kill(getpid(), SIGKILL);
      }
      return Apply(std::move(events));
    });
  }
  // Repeats, as the ticks of a node do: the connection of a killed node holds the relay lock for a moment.
  void RelayAll() {
    const auto waiting = [](Connection& connection) -> Outcome<bool> {
      return connection.Query("SELECT 1 FROM outbox LIMIT 1").Next();
    };
    while (RunTask(pool_.Read(waiting)).value())
      RelayWith([this](std::vector<BookingEvent> events) { return Apply(std::move(events)); });
  }

 private:
  static bool IsSoldOut(const BookingEvent& event, ConcertId concert) {
    const auto* sold_out = std::get_if<ConcertSoldOut>(&event.fact);
    return sold_out != nullptr && sold_out->concert == concert;
  }

  bool Apply(std::vector<BookingEvent> events) {
    if (task_.mode == RelayMode::kNoDeduplication) {
      for (auto& event : events) event.id += 1000 * static_cast<std::uint64_t>(task_.number + 1);
    }
    return RunTask(boards_.Apply(std::move(events))).ok();
  }

  void RelayWith(const mysql::OutboxRelay::Apply& apply) {
    if (task_.mode != RelayMode::kDeleteFirst) {
      EXPECT_TRUE(mysql::OutboxRelay(pool_, apply).RunUntilEmpty().ok());
      return;
    }
    const auto take = [](Connection& connection,
                         const mysql::Attempt&) -> Outcome<std::vector<BookingEvent>> {
      auto events = testing_support::ReadOutbox(connection, 500);
      connection.Command("DELETE FROM outbox");
      return events;
    };
    apply(RunTask(pool_.Write(take)).value());
  }

  const ChildTask task_;
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
    // The database does not crash here.
    database_.emplace(std::vector<std::string>{"--innodb-flush-log-at-trx-commit=0"});
    database_->CreateDatabase();
    Connection connection(database_->Options());
    mysql::Migrate(connection);
  }
  ChildTask TaskOf(RelayMode mode, int number) const {
    return {database_->Url(), redis_->Url(), mode, number};
  }

  // Runs a child process that sells, starts to relay, and is killed.
  void RunUntilCrash(RelayMode mode, int number) const {
    const auto task = TaskOf(mode, number);
    const auto status = std::system(
        fmt::format(
            "exec env {}='{} {} {} {}' '{}' --gtest_filter=Relay.ChildProcessSellsAndRelays >/dev/null",
            kTaskVariable, task.database, task.redis, static_cast<int>(mode), number,
            std::filesystem::read_symlink("/proc/self/exe").string())
            .c_str());
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "child " << number << ": " << status;
  }
  // Runs `crashes` child processes in turn; then a surviving node relays the rest.
  void CrashAndRecover(RelayMode mode, int crashes) {
    Start();
    for (int number = 0; number < crashes; ++number) ASSERT_NO_FATAL_FAILURE(RunUntilCrash(mode, number));
    Node(TaskOf(mode, crashes)).RelayAll();
  }

  // The output of redis-cli as one text line.
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

TEST_F(Relay, SellOutIsAppliedOnceDespiteAHundredCrashesBeforeApply) {
  CrashAndRecover(RelayMode::kProduct, 100);
  ASSERT_EQ(SoldOutsInDatabase(), "100");
  ASSERT_EQ(SeatsInDatabase(), "100");
  for (const std::string board : kConcertBoards) EXPECT_EQ(Cli("ZCARD " + board), "100") << board;
  // Each score equals the duration in the database.
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

// Controls: without apply-before-delete sell-outs are lost; without deduplication they count twice.
TEST_F(Relay, ControlAckBeforeApplyLosesSellOuts) {
  CrashAndRecover(RelayMode::kDeleteFirst, 8);
  EXPECT_EQ(SoldOutsInDatabase(), "8");
  EXPECT_LT(std::stoi(Cli("ZCARD concert:soldout:ranking:all")), 8);
  EXPECT_LT(std::stoi("0" + Cli(std::string("ZSCORE ranking:soldout ") + kConcertDay)), 8);
}

TEST_F(Relay, ControlBoardsWithoutAppliedEventsCountTwice) {
  CrashAndRecover(RelayMode::kNoDeduplication, 8);
  EXPECT_EQ(SeatsInDatabase(), "8");
  EXPECT_GT(std::stoi(Cli(std::string("ZSCORE ranking:soldout ") + kConcertDay)), 8);
}

TEST_F(Relay, ChildProcessSellsAndRelays) {
  if (const auto task = TaskFromEnvironment()) {
    Node node(*task);
    node.RelayUntilCrash(node.SellOut());
    FAIL() << "was not killed";
  }
  Start();
  Node node(TaskOf(RelayMode::kProduct, 1));
  const auto concert = node.SellOut();
  EXPECT_EQ(Cli("EXISTS concertSoldOutRank"), "0");
  node.RelayAll();
  EXPECT_EQ(Cli("ZRANGE concert:soldout:ranking:all 0 -1"), std::to_string(concert));
}

}  // namespace
}  // namespace maejin
