// MariaDB crashes, hangs, refuses writes or refuses connections during a sale: every acknowledged change is
// kept, none is applied twice, and the sale continues afterwards.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

#include "adapters/mysql/booking_store.h"
#include "adapters/mysql/migrations.h"
#include "base/run_task.h"
#include "tests/support/await.h"
#include "tests/support/mariadb_server.h"

namespace maejin {
namespace {

using mysql::Connection;
using testing_support::MariaDbServer;

constexpr Time kNow = TimeFromMillis(1'767'225'600'000);
constexpr SeatNumber kSeats = 20'000;  // of each date
constexpr int kDates = 3;              // more seats than are sold before the check
constexpr int kBuyers = 8;
// The delay before a retry.
constexpr Millis kRetryAfter{20};
// The time limit for the start of the sale and the effect of the fault, which are not under test.
constexpr Seconds kSetupLimit{60};

// The answers to customers. After kUnavailable the result is unknown.
struct Ledger {
  std::mutex mutex;
  std::vector<ReservationId> held;
  std::vector<ReservationId> paid;
  std::atomic<int> acknowledged{0};
  std::atomic<int> unavailable{0};
  std::atomic<int> unexpected{0};
};

class DatabaseFaults : public testing::Test {
 protected:
  DatabaseFaults() {
    server_.CreateDatabase();
    // Not as root, which may write to a read-only server and connect to a full one.
    Connection root(server_.Options());
    root.Command("CREATE USER app@'127.0.0.1'");
    root.Command("GRANT ALL ON maejin.* TO app@'127.0.0.1'");
    options_ = server_.Options();
    options_.user = "app";
    Connection connection(options_);
    mysql::Migrate(connection);
    CreateConcert();
    options_.read_timeout = Seconds{1};
    options_.connect_timeout = Seconds{1};
    pool_.emplace(options_, mysql::PoolOptions{kBuyers, 64, Seconds{1}});
    store_.emplace(*pool_, random_);
    EXPECT_TRUE(test::Await([&] { return store_->Load(kNow).ok(); }));
  }

  // Uses a pool with a long timeout, because creating many seats takes time.
  void CreateConcert() {
    mysql::Pool pool(options_, mysql::PoolOptions{1, 64, kSetupLimit});
    mysql::MysqlBookingStore store(pool, random_);
    EXPECT_TRUE(store.Load(kNow).ok());
    SchedulePlan plan;
    plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
    plan.sections.push_back({"A", 1, kSeats, 100});
    ConcertDetails details{"Title", "Artist", "Venue"};
    details.booking_open_at = kNow;
    concert_ = *RunTask(store.CreateConcert(details, std::vector(kDates, plan), kNow));
  }

  // Buys seats of this buyer until `stop_`.
  void Buy(int buyer) {
    for (const auto& date : concert_.schedules) BuyOf(date.id, buyer);
  }
  void BuyOf(ScheduleId schedule, int buyer) {
    for (SeatNumber seat = 1 + buyer; seat <= kSeats && !stop_; seat += kBuyers) {
      HoldRequest request;
      request.schedule = schedule;
      request.seats = {seat};
      request.user = "fan-" + std::to_string(seat);
      const auto held = RunTask(store_->Hold(request, kNow));
      if (!RecordAnswer(held)) continue;
      Append(ledger_.held, held->id);
      const auto paid =
          RunTask(store_->PayAtOnce(ReservationRef{held->id, held->user}, PaymentRequest{100}, kNow));
      if (!RecordAnswer(paid)) continue;
      Append(ledger_.paid, held->id);
    }
  }
  template <class T>
  bool RecordAnswer(const Outcome<T>& outcome) {
    if (outcome.ok()) {
      ++ledger_.acknowledged;
    } else if (outcome.error() == Refusal::kUnavailable) {
      ++ledger_.unavailable;
      std::this_thread::sleep_for(kRetryAfter);
    } else {
      ++ledger_.unexpected;
    }
    return outcome.ok();
  }
  void Append(std::vector<ReservationId>& list, const ReservationId& id) {
    const std::lock_guard lock(ledger_.mutex);
    list.push_back(id);
  }

  bool SaleContinues(Millis within) {
    const auto before = ledger_.acknowledged.load();
    return test::Await([&] { return ledger_.acknowledged >= before + 100; }, within);
  }

  // Starts a sale, causes the fault, waits until the sale continues, and audits the database.
  void Sell(const std::function<void()>& fault) {
    std::vector<std::thread> buyers;
    for (int i = 0; i < kBuyers; ++i) buyers.emplace_back([this, i] { Buy(i); });
    EXPECT_TRUE(SaleContinues(kSetupLimit));
    fault();
    EXPECT_TRUE(SaleContinues(Seconds{10})) << "no sale within 10 s after the fault";
    stop_ = true;
    for (auto& buyer : buyers) buyer.join();
    Audit();
  }
  void Audit() {
    EXPECT_EQ(ledger_.unexpected, 0);
    EXPECT_GT(ledger_.unavailable, 0) << "the fault had no effect, so nothing was tested";
    Connection connection(server_.Options());
    for (const auto& id : ledger_.paid) {
      auto row = connection.Query(
          "SELECT r.status, s.state, (SELECT COUNT(*) FROM payments p WHERE p.captured_for = r.number) "
          "FROM reservations r JOIN seats s ON s.reservation_number = r.number WHERE r.id = ?",
          id);
      ASSERT_TRUE(row.Next()) << "an acknowledged payment is lost";
      EXPECT_EQ(row.Text(0), "CONFIRMED");
      EXPECT_EQ(row.Text(1), "ASSIGNED");
      EXPECT_EQ(row.Int(2), 1);
    }
    for (const auto& id : ledger_.held) {
      EXPECT_TRUE(connection.Query("SELECT 1 FROM reservations WHERE id = ?", id).Next())
          << "an acknowledged hold is lost";
    }
    const auto count = [&](const char* sql) {
      auto rows = connection.Query(sql);
      rows.Next();
      return rows.Int(0);
    };
    EXPECT_EQ(count("SELECT COUNT(*) FROM reservations"),
              count("SELECT COUNT(*) FROM seats WHERE state IN ('HELD', 'ASSIGNED')"))
        << "a seat has no reservation, or two";
    EXPECT_EQ(count("SELECT COUNT(*) FROM reservations WHERE status = 'CONFIRMED'"),
              count("SELECT SUM(assigned) FROM seat_counts"));
    EXPECT_EQ(count("SELECT COUNT(*) FROM payments"), count("SELECT SUM(assigned) FROM seat_counts"));
    EXPECT_EQ(count("SELECT CAST(SUM(JSON_VALUE(payload, '$.seats')) AS SIGNED) FROM outbox"),
              count("SELECT COUNT(*) FROM reservations"));
  }
  void AwaitRefusals() {
    const auto before = ledger_.unavailable.load();
    EXPECT_TRUE(test::Await([&] { return ledger_.unavailable > before; }));
  }

  static void CutAll(Connection& root) {
    std::vector<std::int64_t> ids;
    {
      auto rows = root.Query("SELECT id FROM information_schema.processlist WHERE user = 'app'");
      while (rows.Next()) ids.push_back(rows.Int(0));
    }
    for (const auto id : ids) {
      try {
        root.Command("KILL " + std::to_string(id));
      } catch (const mysql::MysqlError&) {
        // The connection had ended already.
      }
    }
  }

  MariaDbServer server_;
  mysql::ServerOptions options_;
  SystemRandom random_;
  std::optional<mysql::Pool> pool_;
  std::optional<mysql::MysqlBookingStore> store_;
  ConcertView concert_;
  Ledger ledger_;
  std::atomic<bool> stop_{false};
};

TEST_F(DatabaseFaults, KilledAndRestarted) {
  Sell([this] {
    server_.Kill();
    AwaitRefusals();
    server_.Start();
  });
}

TEST_F(DatabaseFaults, StoppedAndContinued) {
  Sell([this] {
    server_.Pause();
    AwaitRefusals();
    server_.Continue();
  });
}

TEST_F(DatabaseFaults, ReadOnlyForAWhile) {
  Connection root(server_.Options());
  Sell([&] {
    root.Command("SET GLOBAL read_only = 1");
    AwaitRefusals();
    root.Command("SET GLOBAL read_only = 0");
  });
}

TEST_F(DatabaseFaults, ReadsOfANodeWithoutTheDatabaseAreNotCurrent) {
  const auto is_current = [this] {
    store_->RefreshOften();
    return !store_->AgeAtOnce();
  };
  EXPECT_TRUE(test::Await(is_current));
  server_.Kill();
  EXPECT_TRUE(test::Await([&] { return !is_current(); }));
  server_.Start();
  EXPECT_TRUE(test::Await(is_current));
}

// Another node ends the sale meanwhile.
TEST_F(DatabaseFaults, HoldOfANodeThatWasStoppedUsesTheNewEndOfSales) {
  mysql::Pool pool(options_, mysql::PoolOptions{1, 64, kSetupLimit});
  mysql::MysqlBookingStore other(pool, random_);
  ASSERT_TRUE(other.Load(kNow).ok());
  const auto schedule = concert_.schedules[0].id;
  SchedulePatch patch;
  patch.sales_end_at = std::optional(kNow + Seconds{60});
  ASSERT_TRUE(RunTask(other.ChangeSchedule(schedule, patch, {"tester", kNow})).ok());
  HoldRequest request;
  request.schedule = schedule;
  request.seats = {1};
  request.user = "fan";
  EXPECT_TRUE(test::Await([&] { return store_->AgeAtOnce().has_value(); })) << "it does not refresh";
  EXPECT_EQ(RunTask(store_->Hold(request, kNow + Seconds{60})).error(), Refusal::kSalesEnded);
  EXPECT_TRUE(RunTask(store_->Hold(request, kNow + Seconds{59})).ok());
}

// Every connection is closed, and other clients take all connections before the pool reconnects.
TEST_F(DatabaseFaults, NoConnectionLeft) {
  Connection root(server_.Options());
  Sell([&] {
    root.Command("ALTER USER app@'127.0.0.1' WITH MAX_USER_CONNECTIONS 1");
    std::optional<Connection> taken;
    EXPECT_TRUE(test::Await([&] {
      CutAll(root);
      try {
        taken.emplace(options_);
      } catch (const mysql::MysqlError&) {
        // The pool reconnected first: close its connections again.
      }
      return taken.has_value();
    }));
    AwaitRefusals();
    taken.reset();
    root.Command("ALTER USER app@'127.0.0.1' WITH MAX_USER_CONNECTIONS 0");
  });
}

}  // namespace
}  // namespace maejin
