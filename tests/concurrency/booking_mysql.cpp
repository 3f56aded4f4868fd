// Several nodes sell one concert on one MariaDB: each seat and each sell-out once, and a failing request does
// not fail the rest of its batch.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <map>
#include <set>
#include <thread>

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/booking_store.h"
#include "adapters/mysql/migrations.h"
#include "base/run_task.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/payment_race.h"

namespace maejin {
namespace {

using mysql::Connection;

constexpr Time kNow = TimeFromMillis(1'767'225'600'000);

// A node: a pool and a mirror.
struct Node {
  explicit Node(const mysql::ServerOptions& server)
      : pool(server, {8, 4096, Seconds{30}}), store(pool, random) {
    EXPECT_TRUE(store.Load(kNow).ok());
  }
  SystemRandom random;
  mysql::Pool pool;
  mysql::MysqlBookingStore store;
};

class ManyNodes : public testing::Test {
 protected:
  ManyNodes() {
    Connection connection(server_);
    mysql::Migrate(connection);
    for (int i = 0; i < 3; ++i) nodes_.push_back(std::make_unique<Node>(server_));
  }
  ConcertView OpenConcert(std::vector<std::int32_t> seats_of_dates, std::int32_t seats_per_user = 0) {
    std::vector<SchedulePlan> plans;
    for (const auto seats : seats_of_dates) {
      SchedulePlan plan;
      plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
      plan.sections.push_back({"A", 1, seats, 100});
      plans.push_back(plan);
    }
    ConcertDetails details{"Title", "Artist", "Venue"};
    details.booking_open_at = kNow;
    details.max_seats_per_user = seats_per_user;
    const auto concert = *RunTask(nodes_[0]->store.CreateConcert(details, plans, kNow));
    for (auto& node : nodes_) node->store.Refresh();
    return concert;
  }
  // Runs `threads` buyers at once, each on one node.
  template <class Buy>
  void Race(int threads, Buy buy) {
    std::latch start(threads);
    std::vector<std::thread> buyers;
    for (int i = 0; i < threads; ++i) {
      buyers.emplace_back([&, i] {
        start.arrive_and_wait();
        buy(nodes_[static_cast<std::size_t>(i) % nodes_.size()]->store, i);
      });
    }
    for (auto& buyer : buyers) buyer.join();
  }
  static Outcome<Reservation> Hold(BookingStore& store, ScheduleId schedule, std::vector<SeatNumber> seats,
                                   int user, Time now = kNow) {
    HoldRequest request;
    request.schedule = schedule;
    request.seats = std::move(seats);
    request.user = "fan-" + std::to_string(user);
    return RunTask(store.Hold(std::move(request), now));
  }
  static Outcome<PaymentOutcome> Pay(BookingStore& store, const Reservation& held, Time now = kNow) {
    return RunTask(store.PayAtOnce(ReservationRef{held.id, held.user}, PaymentRequest{held.amount}, now));
  }
  std::int64_t Number(const std::string& sql) {
    Connection connection(server_);
    auto rows = connection.Query(sql);
    rows.Next();
    return rows.Int(0);
  }
  // I1, I2: the tables are consistent.
  void ExpectConsistent() {
    EXPECT_EQ(
        Number("SELECT COUNT(*) FROM seats s LEFT JOIN reservations r ON r.number = s.reservation_number "
               "WHERE s.reservation_number IS NOT NULL AND (r.number IS NULL OR r.status NOT IN "
               "('HELD', 'PAYING', 'CONFIRMED') OR (s.state = 'ASSIGNED') <> (r.status = 'CONFIRMED'))"),
        0);
    EXPECT_EQ(Number("SELECT COALESCE(SUM(seat_count), 0) FROM reservations WHERE status IN ('HELD', "
                     "'PAYING', 'CONFIRMED')"),
              Number("SELECT COUNT(*) FROM seats WHERE reservation_number IS NOT NULL"));
    EXPECT_EQ(
        Number("SELECT COUNT(*) FROM seat_counts c WHERE c.assigned <> (SELECT COUNT(*) FROM seats s WHERE "
               "s.schedule_id = c.schedule_id AND s.number BETWEEN c.first_number AND c.last_number AND "
               "s.state = 'ASSIGNED') OR c.held <> (SELECT COUNT(*) FROM seats s WHERE s.schedule_id = "
               "c.schedule_id AND s.number BETWEEN c.first_number AND c.last_number AND s.state = 'HELD')"),
        0);
  }

  mysql::ServerOptions server_ = testing_support::FreshDatabase();
  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST_F(ManyNodes, OneOfManyConcurrentHoldsSucceeds) {
  const auto schedule = OpenConcert({20}).schedules[0].id;
  for (SeatNumber seat = 1; seat <= 20; ++seat) {
    std::atomic<int> won = 0, lost = 0;
    Race(12, [&](BookingStore& store, int user) {
      const auto held = Hold(store, schedule, {seat}, user);
      won += held.ok();
      lost += !held.ok() && (held.error() == Refusal::kSeatHeld || held.error() == Refusal::kSoldOut);
    });
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 11);
  }
  ExpectConsistent();
}

// Control: the same race with a check and a separate write.
TEST_F(ManyNodes, ControlCheckThenWriteSellsASeatTwice) {
  const auto schedule = OpenConcert({20}).schedules[0].id;
  int most = 0;
  for (SeatNumber seat = 1; seat <= 20 && most < 2; ++seat) {
    std::atomic<int> won = 0;
    std::latch read(6);
    Race(6, [&](BookingStore&, int user) {
      Connection connection(server_);
      auto rows =
          connection.Query("SELECT state FROM seats WHERE schedule_id = ? AND number = ?", schedule, seat);
      const bool free = rows.Next() && rows.Text(0) == "AVAILABLE";
      read.arrive_and_wait();
      if (!free) return;
      won += static_cast<int>(connection.Execute(
          "UPDATE seats SET state = 'HELD', reservation_number = ? WHERE schedule_id = ? AND number = ?",
          user, schedule, seat));
    });
    most = std::max(most, won.load());
  }
  EXPECT_GT(most, 1);
}

TEST_F(ManyNodes, TheLastSeatsOfTheLastDatesSellOutOnce) {
  for (int round = 0; round < 10; ++round) {
    const auto concert = OpenConcert({1, 2, 1});
    std::vector<Reservation> held;
    for (const auto& date : concert.schedules) {
      for (SeatNumber seat = 1; seat <= date.counts.available; ++seat) {
        held.push_back(*Hold(nodes_[0]->store, date.id, {seat}, seat));
      }
    }
    std::atomic<int> sold_out = 0;
    Race(static_cast<int>(held.size()), [&](BookingStore& store, int i) {
      const auto now = kNow + Millis{i};
      const auto paid = Pay(store, held[static_cast<std::size_t>(i)], now);
      ASSERT_TRUE(paid.ok());
      sold_out += paid->reservation.concert_sold_out;
    });
    EXPECT_EQ(sold_out, 1);
    const auto id = std::to_string(concert.id);
    EXPECT_EQ(Number("SELECT COUNT(*) FROM sold_out_concerts WHERE concert_id = " + id), 1);
    EXPECT_EQ(Number("SELECT COUNT(*) FROM sold_out_schedules WHERE concert_id = " + id), 3);
    EXPECT_EQ(
        Number("SELECT COUNT(*) FROM sold_out_concerts c WHERE concert_id = " + id +
               " AND sold_out_at <> (SELECT MAX(paid_at) FROM reservations WHERE concert_id = " + id + ")"),
        0);
  }
  ExpectConsistent();
}

// Buyers hold and pay any free seat until none is left; some cancel.
TEST_F(ManyNodes, AWholeSaleEndsWithEverySeatPaidOnce) {
  const auto concert = OpenConcert({700, 60});
  std::atomic<int> unexpected = 0;
  Race(12, [&](BookingStore& store, int user) {
    SeededRandom chance(static_cast<std::uint64_t>(user));
    for (int tries = 0; tries < 20'000; ++tries) {
      const auto& date = concert.schedules[chance.Next64() % 2];
      HoldRequest request;
      request.schedule = date.id;
      request.user = "fan-" + std::to_string(user) + "-" + std::to_string(tries);
      request.best = BestAvailable{1 + static_cast<std::int32_t>(chance.Next64() % 2)};
      const auto held = RunTask(store.Hold(request, kNow));
      if (!held.ok() && held.error() == Refusal::kSoldOut) {
        const auto stock = *store.StockAtOnce(concert.id, kNow);
        if (stock.available == 0 && stock.held == 0) return;
        store.ExpireHolds(kNow);
        static_cast<mysql::MysqlBookingStore&>(store).Refresh();
        continue;
      }
      unexpected +=
          !held.ok() && !(held.error() == Refusal::kSeatHeld) && !(held.error() == Refusal::kSeatTaken);
      if (!held.ok()) continue;
      if (chance.Next64() % 5 == 0) {
        unexpected += !RunTask(store.Cancel(ReservationRef{held->id, held->user}, kNow)).ok();
      } else {
        unexpected += !Pay(store, *held).ok();
      }
    }
  });
  EXPECT_EQ(unexpected, 0);
  EXPECT_EQ(Number("SELECT COUNT(*) FROM seats WHERE state <> 'ASSIGNED'"), 0);
  EXPECT_EQ(Number("SELECT COUNT(*) FROM sold_out_concerts"), 1);
  EXPECT_EQ(Number("SELECT COUNT(*) FROM sold_out_schedules"), 2);
  EXPECT_EQ(Number("SELECT COUNT(*) FROM outbox WHERE kind = 'concert-sold-out'"), 1);
  ExpectConsistent();
}

// More customers than connections, so holds share transactions; conflicting holds fail alone.
TEST_F(ManyNodes, RefusedHoldDoesNotFailTheRestOfItsBatch) {
  const auto concert = OpenConcert({600, 40});
  constexpr int kFans = 48;
  std::atomic<int> unexpected = 0, sold_out = 0;
  Race(kFans, [&](BookingStore& store, int user) {
    for (const auto& date : concert.schedules) {
      // Adjacent buyers want the same seat at about the same time.
      for (SeatNumber seat = 1 + user / 2; seat <= date.counts.available; seat += kFans / 2) {
        const auto held = Hold(store, date.id, {seat}, user * 1000 + seat);
        if (!held.ok()) {
          unexpected += held.error() != Refusal::kSeatHeld && held.error() != Refusal::kSeatTaken &&
                        held.error() != Refusal::kSoldOut;
          continue;
        }
        const auto paid = Pay(store, *held);
        unexpected += !paid.ok();
        sold_out += paid.ok() && paid->reservation.concert_sold_out;
      }
    }
  });
  EXPECT_EQ(unexpected, 0);
  EXPECT_EQ(sold_out, 1);
  EXPECT_EQ(Number("SELECT COUNT(*) FROM seats WHERE state <> 'ASSIGNED'"), 0);
  EXPECT_EQ(Number("SELECT COUNT(*) FROM reservations"), 640) << "a refused hold left no row";
  EXPECT_EQ(Number("SELECT COUNT(*) FROM payments WHERE status = 'CAPTURED'"), 640);
  EXPECT_EQ(
      Number(
          "SELECT CAST(SUM(JSON_VALUE(payload, '$.seats')) AS SIGNED) FROM outbox WHERE kind = 'progress'"),
      640);
  EXPECT_EQ(Number("SELECT COUNT(*) FROM sold_out_schedules"), 2);
  std::uint64_t shared = 0;
  for (auto& node : nodes_) shared += node->pool.counts().shared;
  EXPECT_GT(shared, 100U) << "no transaction was shared, so nothing was tested";
  ExpectConsistent();
}

TEST_F(ManyNodes, CustomersWithLimitsShareTransactionsAndKeepTheirLimits) {
  constexpr int kThreads = 48, kFans = 16, kTries = 8, kLimit = 4;
  const auto schedule = OpenConcert({kThreads * kTries}, kLimit).schedules[0].id;
  std::atomic<int> unexpected = 0;
  // Three threads of each fan, on different nodes, want seats of their own at the same time.
  Race(kThreads, [&](BookingStore& store, int thread) {
    for (int i = 0; i < kTries; ++i) {
      const auto held = Hold(store, schedule, {1 + thread * kTries + i}, thread % kFans);
      unexpected += !held.ok() && held.error() != Refusal::kTooManySeats;
    }
  });
  EXPECT_EQ(unexpected, 0);
  EXPECT_EQ(Number("SELECT COUNT(*) FROM reservations"), kFans * kLimit);
  EXPECT_EQ(
      Number("SELECT MAX(n) FROM (SELECT SUM(seat_count) n FROM reservations GROUP BY user_id) each_fan"),
      kLimit);
  std::uint64_t shared = 0;
  for (auto& node : nodes_) shared += node->pool.counts().shared;
  EXPECT_GT(shared, 10U) << "no transaction was shared, so nothing was tested";
  ExpectConsistent();
}

// Control: the same check of a limit without the lock on the customer.
TEST_F(ManyNodes, ControlLimitWithoutALockOnTheCustomerIsExceeded) {
  constexpr int kThreads = 6, kLimit = 4;
  const auto concert = OpenConcert({kThreads * kLimit}, kLimit);
  const auto schedule = concert.schedules[0].id;
  std::latch read(kThreads);
  Race(kThreads, [&](BookingStore&, int thread) {
    Connection connection(server_);
    SystemRandom random;
    auto row = connection.Query(
        "SELECT COALESCE(SUM(seat_count), 0) FROM reservations WHERE concert_id = ? AND user_id = 'fan'",
        concert.id);
    ASSERT_TRUE(row.Next());
    const auto seats = row.Int(0);
    read.arrive_and_wait();
    if (seats + kLimit > kLimit) return;
    Reservation held;
    held.id = Id128::Random(random);
    held.concert = concert.id;
    held.schedule = schedule;
    held.user = "fan";
    for (int i = 1; i <= kLimit; ++i) held.seats.push_back(thread * kLimit + i);
    held.held_at = kNow;
    held.expires_at = kNow + Seconds{300};
    mysql::AddReservations(connection, {&held});
  });
  EXPECT_GT(Number("SELECT SUM(seat_count) FROM reservations WHERE user_id = 'fan'"), kLimit);
}

// The seats that a refused hold took before its failure are free, also on the same node.
TEST_F(ManyNodes, RefusedHoldReleasesTheSeatsItTook) {
  const auto schedule = OpenConcert({5}).schedules[0].id;
  ASSERT_TRUE(Hold(nodes_[0]->store, schedule, {2}, 1).ok());
  auto& unaware = nodes_[1]->store;
  EXPECT_EQ(Hold(unaware, schedule, {1, 2}, 2).error(), Refusal::kSeatHeld);
  EXPECT_EQ(unaware.ReadSeats(schedule)->counts.available, 4);
  EXPECT_TRUE(Hold(unaware, schedule, {1}, 2).ok());
}

TEST_F(ManyNodes, ConcurrentRequestsWithOneKeyMakeOneReservation) {
  const auto schedule = OpenConcert({50}).schedules[0].id;
  std::mutex mutex;
  std::set<std::string> ids;
  Race(12, [&](BookingStore& store, int) {
    HoldRequest request;
    request.schedule = schedule;
    request.seats = {1, 2};
    request.user = "fan";
    request.idempotency_key = "once";
    const auto held = RunTask(store.Hold(request, kNow));
    ASSERT_TRUE(held.ok()) << Code(held.error().why);
    const std::lock_guard lock(mutex);
    ids.insert(held->id.ToString());
  });
  EXPECT_EQ(ids.size(), 1U);
  EXPECT_EQ(Number("SELECT COUNT(*) FROM reservations"), 1);
}

TEST_F(ManyNodes, ExpiredHoldIsReleasedOnceByManyNodes) {
  const auto schedule = OpenConcert({600}).schedules[0].id;
  for (SeatNumber seat = 1; seat <= 600; seat += 3) {
    ASSERT_TRUE(Hold(nodes_[0]->store, schedule, {seat, seat + 1, seat + 2}, seat).ok());
  }
  Race(6, [&](BookingStore& store, int) { store.ExpireHolds(kNow + Seconds{300}); });
  EXPECT_EQ(Number("SELECT COUNT(*) FROM seats WHERE state = 'AVAILABLE'"), 600);
  EXPECT_EQ(Number("SELECT CAST(SUM(JSON_VALUE(payload, '$.seats')) AS SIGNED) FROM outbox"), 0)
      << "progress was added and subtracted";
  for (auto& node : nodes_) node->store.Refresh();
  for (auto& node : nodes_) EXPECT_EQ(node->store.ReadSeats(schedule)->counts.available, 600);
  ExpectConsistent();
}

TEST_F(ManyNodes, NodeReadsChangesOfOtherNodes) {
  const auto schedule = OpenConcert({5}).schedules[0].id;
  const auto held = *Hold(nodes_[0]->store, schedule, {3}, 1);
  nodes_[1]->store.Refresh();
  EXPECT_EQ(nodes_[1]->store.ReadSeats(schedule)->states[2], SeatState::kHeld);
  ASSERT_TRUE(Pay(nodes_[1]->store, held).ok());
  nodes_[0]->store.Refresh();
  EXPECT_EQ(nodes_[0]->store.ReadSeats(schedule)->states[2], SeatState::kAssigned);
  // A version is valid on its own node only.
  const auto version = *nodes_[0]->store.SeatsVersionAtOnce(schedule);
  EXPECT_TRUE(nodes_[0]->store.ReadSeatChanges(schedule, version)->has_value());
  EXPECT_FALSE(nodes_[1]->store.ReadSeatChanges(schedule, version)->has_value());
}

// The hold checks the row, so a stale mirror does not matter.
TEST_F(ManyNodes, StaleNodeRefusesHoldsOfACancelledOrClosedDate) {
  const auto cancelled = OpenConcert({2, 2});
  const auto closed = OpenConcert({2});
  const Operator actor{"tester", kNow};
  ASSERT_TRUE(RunTask(nodes_[1]->store.CancelSchedule(cancelled.schedules[0].id, actor)).ok());
  ASSERT_TRUE(RunTask(nodes_[1]->store.CloseConcert(closed.id, actor)).ok());
  auto& unaware = nodes_[2]->store;
  EXPECT_EQ(unaware.FindConcert(closed.id, kNow)->status, ConcertStatus::kOpen);
  EXPECT_EQ(Hold(unaware, cancelled.schedules[0].id, {1}, 1).error(), Refusal::kConcertCancelled);
  EXPECT_EQ(Hold(unaware, closed.schedules[0].id, {1}, 1).error(), Refusal::kConcertClosed);
  EXPECT_TRUE(Hold(unaware, cancelled.schedules[1].id, {1}, 1).ok()) << "the other date is still on sale";
  EXPECT_EQ(Number("SELECT COUNT(*) FROM reservations"), 1);
}

// Nodes with a stale date add and subtract progress at the current date.
TEST_F(ManyNodes, PostponementDuringASaleMovesAllProgress) {
  const auto schedule = OpenConcert({400}).schedules[0].id;
  const auto day = [](unsigned number) {
    return Date{std::chrono::year{2027}, std::chrono::month{1}, std::chrono::day{number}};
  };
  std::atomic<int> failed = 0, living = 0;
  Race(9, [&](BookingStore& store, int user) {
    if (user == 0) {
      for (unsigned number = 1; number <= 20; ++number) {
        const auto moved = RunTask(static_cast<mysql::MysqlBookingStore&>(store).PostponeSchedule(
            schedule, {day(number)}, Operator{"tester", kNow}));
        failed += !moved.ok();
      }
      return;
    }
    for (SeatNumber seat = user; seat <= 400; seat += 8) {
      const auto held = Hold(store, schedule, {seat}, seat);
      failed += !held.ok();
      ++living;
      if (!held.ok() || seat % 3 != 0) continue;
      failed += !RunTask(store.Cancel(ReservationRef{held->id, held->user}, kNow)).ok();
      --living;
    }
  });
  EXPECT_EQ(failed, 0);
  const auto reserved_at = [&](const std::string& which) {
    return Number(
        "SELECT COALESCE(CAST(SUM(JSON_VALUE(payload, '$.seats')) AS SIGNED), 0) FROM outbox WHERE "
        "JSON_VALUE(payload, '$.concertDate') " +
        which);
  };
  EXPECT_EQ(reserved_at("= '2027-01-20'"), living);
  EXPECT_EQ(
      Number("SELECT COUNT(*) FROM (SELECT SUM(JSON_VALUE(payload, '$.seats')) AS seats FROM outbox GROUP BY "
             "JSON_VALUE(payload, '$.concertDate') HAVING seats <> 0) AS dates"),
      1);
}

// Blocked seats and a cancelled date do not count: the last payment sells the concert out.
TEST_F(ManyNodes, SellOutIgnoresBlockedAndCancelledSeats) {
  const auto concert = OpenConcert({600, 5});
  const Operator actor{"tester", kNow};
  std::vector<SeatNumber> rest;
  for (SeatNumber seat = 2; seat <= 600; ++seat) rest.push_back(seat);
  ASSERT_TRUE(RunTask(nodes_[0]->store.BlockSeats(concert.schedules[0].id, rest, actor)).ok());
  ASSERT_TRUE(RunTask(nodes_[1]->store.CancelSchedule(concert.schedules[1].id, actor)).ok());
  const auto held = Hold(nodes_[2]->store, concert.schedules[0].id, {1}, 1);
  ASSERT_TRUE(held.ok());
  const auto paid = Pay(nodes_[2]->store, *held);
  ASSERT_TRUE(paid.ok());
  EXPECT_TRUE(paid->reservation.concert_sold_out);
  EXPECT_EQ(Number("SELECT seats FROM sold_out_concerts"), 1);
  EXPECT_EQ(Number("SELECT dates FROM sold_out_concerts"), 1);
}

TEST_F(ManyNodes, EveryPairOfPaymentReportsEndsAsOneOfItsTwoOrders) {
  constexpr int kRounds = 2;
  const auto schedule = OpenConcert({PaymentRace::Seats(kRounds)}).schedules[0].id;
  PaymentRace({&nodes_[0]->store, &nodes_[1]->store}, schedule, kNow).RunAll(kRounds);
  ExpectConsistent();
}

// The control: both transactions read PENDING, then write without the guard. The guarded statement of the
// store would change no row.
TEST_F(ManyNodes, ControlUnfencedPaymentLosesCapturedMoney) {
  const auto schedule = OpenConcert({1}).schedules[0].id;
  const auto held = *Hold(nodes_[0]->store, schedule, {1}, 1);
  PaymentRequest request{held.amount, "callback"};
  ASSERT_TRUE(RunTask(nodes_[0]->store.BeginPayment(ReservationRef{held.id, held.user}, request, kNow)).ok());
  Connection captured(server_), declined(server_);
  const auto read = [](Connection& connection) {
    auto row = connection.Query("SELECT status FROM payments");
    row.Next();
    return *PaymentStatusOf(row.Text(0));
  };
  const auto captured_next = NextStatus(read(captured), PaymentChange::kCapturedLate);
  const auto declined_next = NextStatus(read(declined), PaymentChange::kDeclined);
  captured.Execute("UPDATE payments SET status = ?", Name(*captured_next));
  EXPECT_EQ(declined.Execute("UPDATE payments SET status = ? WHERE status = 'PENDING'", Name(*declined_next)),
            0);
  EXPECT_EQ(read(captured), PaymentStatus::kRefundDue) << "the fence keeps the refund";
  declined.Execute("UPDATE payments SET status = ?", Name(*declined_next));
  EXPECT_EQ(read(captured), PaymentStatus::kFailed) << "without the fence the money is lost";
}

}  // namespace
}  // namespace maejin
