// MariaDB dies, hangs, refuses to write or to be connected to, in the middle of a sale: what was acknowledged
// is there, nothing is there twice, and the sale goes on by itself.
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
constexpr int kDates = 3;  // so that a slow machine does not come to the last seat before the check
constexpr int kBuyers = 8;
// Customers who are told to come again do not come at once.
constexpr Millis kRetryAfter{20};
// For what is no claim: a sale that begins, a fault that is felt.
constexpr Seconds kPatience{60};

// What customers were told. A refusal as "unavailable" is unknown, never a failure.
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
    // Not as root: root may write on a read-only server and connect to a full one.
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

  // So many seats take their time: by a node that gives it to them.
  void CreateConcert() {
    mysql::Pool patient(options_, mysql::PoolOptions{1, 64, kPatience});
    mysql::MysqlBookingStore store(patient, random_);
    EXPECT_TRUE(store.Load(kNow).ok());
    SchedulePlan plan;
    plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
    plan.sections.push_back({"A", 1, kSeats, 100});
    ConcertDetails details{"Title", "Artist", "Venue"};
    details.booking_open_at = kNow;
    concert_ = *RunTask(store.CreateConcert(details, std::vector(kDates, plan), kNow));
  }

  // Buyers buy, each from seats of its own, until told to stop.
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
      if (!Note(held)) continue;
      Remember(ledger_.held, held->id);
      const auto paid =
          RunTask(store_->PayAtOnce(ReservationRef{held->id, held->user}, PaymentRequest{100}, kNow));
      if (!Note(paid)) continue;
      Remember(ledger_.paid, held->id);
    }
  }
  template <class T>
  bool Note(const Outcome<T>& outcome) {
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
  void Remember(std::vector<ReservationId>& list, const ReservationId& id) {
    const std::lock_guard lock(ledger_.mutex);
    list.push_back(id);
  }

  bool More(Millis within) {
    const auto before = ledger_.acknowledged.load();
    return test::Await([&] { return ledger_.acknowledged >= before + 100; }, within);
  }

  // A sale under way; `fault` happens; the sale goes on; everything is checked.
  void Sell(const std::function<void()>& fault) {
    std::vector<std::thread> buyers;
    for (int i = 0; i < kBuyers; ++i) buyers.emplace_back([this, i] { Buy(i); });
    EXPECT_TRUE(More(kPatience));
    fault();
    EXPECT_TRUE(More(Seconds{10})) << "not back within 10 s of the fault's end";
    stop_ = true;
    for (auto& buyer : buyers) buyer.join();
    Audit();
  }
  void Audit() {
    EXPECT_EQ(ledger_.unexpected, 0);
    EXPECT_GT(ledger_.unavailable, 0) << "the fault touched nobody: this test shows nothing";
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
        << "a seat was taken twice, or by nobody";
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
        // It ended by itself.
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

// Every connection is cut, and others take their places before they are back.
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
        // The pool was quicker; it is cut again.
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
