// Concurrent holds of the same seat. The first test is the control: with check and write in two steps, the
// race sells a seat twice.
#include <algorithm>
#include <barrier>
#include <mutex>
#include <set>
#include <thread>

#include "tests/support/embedded_booking.h"
#include "tests/support/payment_race.h"

namespace maejin {
namespace {

constexpr Time kNow = TimeFromMillis(1'767'225'600'000);

// Runs `attempt(round, racer)` on all racers at once, `rounds` times; returns how many succeeded in each
// round.
template <class Attempt>
std::vector<int> Race(int racers, int rounds, Attempt attempt) {
  std::vector<std::atomic<int>> wins(static_cast<std::size_t>(rounds));
  std::barrier start(racers);
  std::vector<std::thread> threads;
  for (int racer = 0; racer < racers; ++racer) {
    threads.emplace_back([&, racer] {
      for (int round = 0; round < rounds; ++round) {
        start.arrive_and_wait();
        if (attempt(round, racer)) ++wins[static_cast<std::size_t>(round)];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return {wins.begin(), wins.end()};
}

ConcertView OpenConcert(BookingStore& store, std::vector<std::int32_t> dates) {
  ConcertDetails details{"Title", "Artist", "Venue"};
  details.room = RoomKind::kNone;
  details.booking_open_at = kNow;
  std::vector<SchedulePlan> plans;
  for (const auto seats : dates) {
    SchedulePlan plan;
    plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{24}};
    plan.sections.push_back({"A", 1, seats, 100});
    plans.push_back(plan);
  }
  return *RunTask(store.CreateConcert(details, plans, kNow));
}

Outcome<Reservation> Hold(BookingStore& store, ScheduleId schedule, SeatNumber seat, int racer) {
  HoldRequest request;
  request.schedule = schedule;
  request.seats = {seat};
  request.user = "fan-" + std::to_string(racer);
  return RunTask(store.Hold(std::move(request), kNow));
}

// Control: a store without a lock, which checks and then writes.
class CarelessSeat {
 public:
  bool Take() {
    if (taken_) return false;
    std::this_thread::yield();
    taken_ = true;
    return true;
  }

 private:
  std::atomic<bool> taken_ = false;
};

// Control: a store without a transaction, which decrements and then checks for the last seat.
class CarelessSellOut {
 public:
  bool PaidLast() {
    const auto left = left_.load();
    std::this_thread::yield();
    left_ = left - 1;
    return left_ == 0;
  }

 private:
  std::atomic<int> left_ = 2;
};

// The first column of every row.
std::vector<std::int64_t> Numbers(const std::string& database, const std::string& sql) {
  embedded::Connection reader(database, embedded::Connection::Mode::kReadOnly);
  auto rows = reader.Prepare(sql);
  std::vector<std::int64_t> numbers;
  while (rows.Step()) numbers.push_back(rows.Int(0));
  return numbers;
}

TEST(BookingRaces, ControlSeatWithoutALockIsSoldTwice) {
  std::vector<CarelessSeat> seats(1000);
  const auto wins =
      Race(2, 1000, [&](int round, int) { return seats[static_cast<std::size_t>(round)].Take(); });
  EXPECT_GT(std::count(wins.begin(), wins.end(), 2), 0);
}

TEST(BookingRaces, TwoCustomersNeverGetOneSeat) {
  EmbeddedBookingUnderTest under_test;
  auto& store = under_test.store();
  const auto schedule = OpenConcert(store, {1000}).schedules[0].id;
  const auto wins =
      Race(2, 1000, [&](int round, int racer) { return Hold(store, schedule, round + 1, racer).ok(); });
  EXPECT_EQ(std::count(wins.begin(), wins.end(), 1), 1000);
  EXPECT_EQ(store.ReadSeats(schedule)->counts.held, 1000);
}

TEST(BookingRaces, AHundredCustomersOnTheLastSeatSellItOnce) {
  EmbeddedBookingUnderTest under_test;
  auto& store = under_test.store();
  const auto concert = OpenConcert(store, {1});
  std::atomic<std::int64_t> paid_at = 0;
  const auto wins = Race(100, 1, [&](int, int racer) {
    const auto held = Hold(store, concert.schedules[0].id, 1, racer);
    if (!held) return false;
    const auto paid =
        RunTask(store.PayAtOnce(ReservationRef{held->id, held->user}, PaymentRequest{100}, kNow + Millis{7}));
    if (paid) paid_at = ToMillis(*paid->reservation.paid_at);
    return paid.ok();
  });
  EXPECT_EQ(wins[0], 1);
  int schedules = 0;
  int concerts = 0;
  for (const auto& event : under_test.Events()) {
    if (const auto* fact = std::get_if<ScheduleSoldOut>(&event.fact)) {
      ++schedules;
      EXPECT_EQ(ToMillis(fact->sold_out_at), paid_at);
    }
    if (const auto* fact = std::get_if<ConcertSoldOut>(&event.fact)) {
      ++concerts;
      EXPECT_EQ(ToMillis(fact->sold_out_at), paid_at);
    }
  }
  EXPECT_EQ(schedules, 1);
  EXPECT_EQ(concerts, 1);
}

TEST(BookingRaces, TheLastTwoSeatsOfTheLastTwoDatesSellTheConcertOutOnce) {
  constexpr int kRounds = 100;
  EmbeddedBookingUnderTest under_test;
  auto& store = under_test.store();
  std::vector<ConcertView> concerts;
  std::vector<std::array<Reservation, 2>> held;
  for (int round = 0; round < kRounds; ++round) {
    concerts.push_back(OpenConcert(store, {1, 1}));
    const auto& dates = concerts.back().schedules;
    held.push_back({*Hold(store, dates[0].id, 1, 0), *Hold(store, dates[1].id, 1, 1)});
  }
  std::vector<std::array<Time, 2>> paid_at(kRounds);
  const auto wins = Race(2, kRounds, [&](int round, int racer) {
    const auto& mine = held[static_cast<std::size_t>(round)][static_cast<std::size_t>(racer)];
    const auto paid = RunTask(
        store.PayAtOnce(ReservationRef{mine.id, mine.user}, PaymentRequest{100}, kNow + Millis{racer + 1}));
    paid_at[static_cast<std::size_t>(round)][static_cast<std::size_t>(racer)] = *paid->reservation.paid_at;
    return paid->reservation.concert_sold_out;
  });
  EXPECT_EQ(std::count(wins.begin(), wins.end(), 1), kRounds) << "one of the two sold each concert out";
  std::map<ConcertId, Time> sold_out;
  for (const auto& event : under_test.Events()) {
    const auto* fact = std::get_if<ConcertSoldOut>(&event.fact);
    if (!fact) continue;
    EXPECT_TRUE(sold_out.emplace(fact->concert, fact->sold_out_at).second) << "ranked twice";
  }
  for (std::size_t round = 0; round < kRounds; ++round) {
    EXPECT_EQ(sold_out.at(concerts[round].id), std::max(paid_at[round][0], paid_at[round][1]));
  }
}

// Control: ids without a lock, which checks whether an id is free and then takes it.
class CarelessNumbers {
 public:
  ConcertId Create() {
    const auto number = next_++;
    std::this_thread::yield();
    const std::lock_guard lock(mutex_);
    concerts_.insert(number);
    return number;
  }
  bool Claim(ConcertId number) {
    {
      const std::lock_guard lock(mutex_);
      if (concerts_.contains(number)) return false;
    }
    auto seen = next_.load();
    while (seen <= number && !next_.compare_exchange_weak(seen, number + 1)) {
    }
    return true;
  }

 private:
  std::atomic<ConcertId> next_{1};
  std::mutex mutex_;
  std::set<ConcertId> concerts_;  // guarded by mutex_
};

// Creates concerts while an import takes the ids that they would get next; returns the ids given twice.
template <class Create, class Claim>
int GivenTwice(int rounds, Create create, Claim claim) {
  std::atomic<ConcertId> newest = 0;
  std::set<ConcertId> created;
  std::set<ConcertId> claimed;
  Race(2, rounds, [&](int, int racer) {
    if (racer == 0) {
      newest = *created.insert(create()).first;
    } else if (const ConcertId next = newest + 1; claim(next)) {
      claimed.insert(next);
    }
    return true;
  });
  return static_cast<int>(
      std::count_if(claimed.begin(), claimed.end(), [&](ConcertId id) { return created.contains(id); }));
}

TEST(BookingRaces, ControlIdWithoutALockIsGivenTwice) {
  int twice = 0;  // the first find ends the test: on a busy machine a round takes milliseconds
  for (int attempt = 0; attempt < 100 && twice == 0; ++attempt) {
    CarelessNumbers numbers;
    twice =
        GivenTwice(200, [&] { return numbers.Create(); }, [&](ConcertId id) { return numbers.Claim(id); });
  }
  EXPECT_GT(twice, 0);
}

TEST(BookingRaces, ImportedIdIsNeverGivenToAConcert) {
  EmbeddedBookingUnderTest under_test;
  auto& store = dynamic_cast<embedded::EmbeddedBookingStore&>(under_test.store());
  EXPECT_EQ(GivenTwice(
                300, [&] { return OpenConcert(store, {1}).id; },
                [&](ConcertId id) { return store.ReserveImported(id, {}) == Imported::kNew; }),
            0);
}

TEST(BookingRaces, ControlSellOutWithoutATransactionIsLostOrDoubled) {
  std::vector<CarelessSellOut> concerts(1000);
  const auto wins =
      Race(2, 1000, [&](int round, int) { return concerts[static_cast<std::size_t>(round)].PaidLast(); });
  EXPECT_LT(std::count(wins.begin(), wins.end(), 1), 1000);
}

// A hundred customers race for the last seats of two dates. Two succeed, and each date and the concert have
// one row with the exact time of the last payment.
TEST(BookingRaces, AHundredCustomersOnTheLastSeatsOfTheLastDatesLeaveOneRowEach) {
  constexpr int kRounds = 20;
  EmbeddedBookingUnderTest under_test;
  auto& store = under_test.store();
  std::vector<ConcertView> concerts;
  for (int round = 0; round < kRounds; ++round) concerts.push_back(OpenConcert(store, {1, 1}));
  std::vector<std::array<std::atomic<std::int64_t>, 2>> paid_at(kRounds);
  const auto wins = Race(100, kRounds, [&](int round, int racer) {
    const auto date = static_cast<std::size_t>(racer % 2);
    const auto& concert = concerts[static_cast<std::size_t>(round)];
    const auto held = Hold(store, concert.schedules[date].id, 1, racer);
    if (!held) return false;
    const auto paid = RunTask(
        store.PayAtOnce(ReservationRef{held->id, held->user}, PaymentRequest{100}, kNow + Millis{racer}));
    paid_at[static_cast<std::size_t>(round)][date] = ToMillis(*paid->reservation.paid_at);
    return paid.ok();
  });
  EXPECT_EQ(std::count(wins.begin(), wins.end(), 2), kRounds) << "each of the two seats was sold once";
  under_test.journal().Flush();
  const auto feed = under_test.Feed();
  for (std::size_t round = 0; round < kRounds; ++round) {
    const auto concert = std::to_string(concerts[round].id);
    const auto at = paid_at[round][0].load();
    const auto other = paid_at[round][1].load();
    EXPECT_EQ(Numbers(under_test.database(),
                      "SELECT sold_out_at FROM sold_out_schedules WHERE concert_id = " + concert +
                          " ORDER BY schedule_id"),
              (std::vector{at, other}));
    EXPECT_EQ(Numbers(under_test.database(),
                      "SELECT sold_out_at FROM sold_out_concerts WHERE concert_id = " + concert),
              std::vector{std::max(at, other)});
    const auto sold_out = [&](const Event& event) {
      return event.type.ends_with(".sold-out") &&
             event.json.find("\"concertId\":" + concert + ",") != std::string::npos;
    };
    EXPECT_EQ(std::count_if(feed.begin(), feed.end(), sold_out), 3);
  }
}

// What a payment would be without its fence: the status is read, and written later without a second look.
class UnfencedPayment {
 public:
  void Report(PaymentChange change) {
    const auto next = NextStatus(status_, change);
    std::this_thread::yield();
    if (next) status_ = *next;
  }
  PaymentStatus status() const { return status_; }

 private:
  std::atomic<PaymentStatus> status_ = PaymentStatus::kPending;
};

TEST(BookingRaces, ControlUnfencedPaymentLosesCapturedMoney) {
  std::ptrdiff_t lost = 0;
  for (int attempt = 0; attempt < 50 && lost == 0; ++attempt) {
    std::vector<UnfencedPayment> payments(100);
    Race(2, 100, [&](int round, int racer) {
      auto& payment = payments[static_cast<std::size_t>(round)];
      payment.Report(racer == 0 ? PaymentChange::kCapturedLate : PaymentChange::kDeclined);
      return true;
    });
    lost = std::ranges::count(payments, PaymentStatus::kFailed, &UnfencedPayment::status);
  }
  EXPECT_GT(lost, 0);
}

TEST(BookingRaces, EveryPairOfPaymentReportsEndsAsOneOfItsTwoOrders) {
  constexpr int kRounds = 10;
  EmbeddedBookingUnderTest under_test;
  auto& store = under_test.store();
  const auto schedule = OpenConcert(store, {PaymentRace::Seats(kRounds)}).schedules[0].id;
  PaymentRace({&store, &store}, schedule, kNow).RunAll(kRounds);
}

}  // namespace
}  // namespace maejin
