// The contract of every booking store. An adapter instantiates the suite with a factory.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/run_task.h"
#include "store/audit_store.h"
#include "store/booking_operations.h"
#include "store/booking_store.h"
#include "store/event_feed.h"

namespace maejin {

// All events of a feed, in pages.
inline std::vector<Event> ReadWholeFeed(EventFeed& feed) {
  std::vector<Event> all;
  EventPage page;
  do {
    page = *RunTask(feed.Read({page.next, {}, 500}));
    all.insert(all.end(), page.events.begin(), page.events.end());
  } while (!page.events.empty());
  return all;
}

// A store with an empty database behind it.
class BookingStoreUnderTest {
 public:
  virtual ~BookingStoreUnderTest() = default;
  virtual BookingStore& store() = 0;
  // Null if the store has no operations for operators.
  virtual BookingOperations* operations() { return nullptr; }
  // Restarts the store on the same data.
  virtual void Restart(Time now) = 0;
  // Every event delivered so far, in order, including events before restarts.
  virtual std::vector<BookingEvent> Events() = 0;
  // The whole event feed of its database.
  virtual std::vector<Event> Feed() = 0;
  // The audit log of its database, newest first.
  virtual std::vector<AuditRow> Audit() = 0;
};

struct BookingStoreFactory {
  std::string name;
  std::function<std::unique_ptr<BookingStoreUnderTest>()> make;
};

class BookingContract : public testing::TestWithParam<BookingStoreFactory> {
 protected:
  BookingStore& store() { return under_test_->store(); }
  BookingOperations& operations() { return *under_test_->operations(); }
  Operator who() const { return {"tester", now_}; }
  Time now() const { return now_; }
  void Pass(Millis time) { now_ += time; }
  void Restart() { under_test_->Restart(now_); }

  // An open concert without a room: one date per number of seats, at 100 each.
  ConcertView OpenConcert(std::vector<std::int32_t> seats_of_dates, ConcertDetails details = {}) {
    auto concert = CreateConcert(std::move(seats_of_dates), std::move(details));
    return *RunTask(store().OpenConcert(concert.id, now_));
  }
  ConcertView CreateConcert(std::vector<std::int32_t> seats_of_dates, ConcertDetails details = {}) {
    details.title = details.title.empty() ? "Title" : details.title;
    details.artist = "Artist";
    details.venue = "Venue";
    details.room = RoomKind::kNone;
    return *RunTask(store().CreateConcert(std::move(details), Dates(std::move(seats_of_dates)), now_));
  }
  static std::vector<SchedulePlan> Dates(std::vector<std::int32_t> seats_of_dates) {
    std::vector<SchedulePlan> plans;
    unsigned day = 1;
    for (const auto seats : seats_of_dates) {
      SchedulePlan plan;
      plan.date = Date{std::chrono::year{2026}, std::chrono::month{12}, std::chrono::day{day++}};
      plan.sections.push_back({"A", 1, seats, 100});
      plans.push_back(plan);
    }
    return plans;
  }
  Outcome<Reservation> Hold(ScheduleId schedule, std::vector<SeatNumber> seats, std::string user = "fan",
                            std::string key = "") {
    HoldRequest request;
    request.schedule = schedule;
    request.seats = std::move(seats);
    request.user = std::move(user);
    request.idempotency_key = std::move(key);
    return RunTask(store().Hold(std::move(request), now_));
  }
  Outcome<PaymentOutcome> Pay(const Reservation& reservation, Money amount) {
    return RunTask(
        store().PayAtOnce(ReservationRef{reservation.id, reservation.user}, PaymentRequest{amount}, now_));
  }
  Outcome<PaymentOutcome> Pay(const Reservation& reservation) { return Pay(reservation, reservation.amount); }
  Outcome<PaymentOutcome> Begin(const Reservation& reservation) {
    PaymentRequest request{reservation.amount, "callback"};
    return RunTask(store().BeginPayment(ReservationRef{reservation.id, reservation.user}, request, now_));
  }
  Outcome<PaymentOutcome> Report(PaymentId id, PaymentChange change, std::optional<Payment> seen = {}) {
    return RunTask(store().RecordPayment({id, change, std::move(seen)}, now_));
  }
  Outcome<Reservation> Cancel(const Reservation& reservation) {
    return RunTask(store().Cancel(ReservationRef{reservation.id, reservation.user}, now_));
  }
  Reservation Read(const Reservation& reservation) {
    return RunTask(store().FindReservation(ReservationRef{reservation.id, reservation.user}, now_))
        ->reservation;
  }
  SeatState StateOf(ScheduleId schedule, SeatNumber seat) {
    return store().ReadSeats(schedule)->states[static_cast<std::size_t>(seat - 1)];
  }
  // I2: the counts of the four states add up to all seats.
  void ExpectCountsAddUp(ScheduleId schedule) {
    const auto seats = *store().ReadSeats(schedule);
    SeatCounts counted;
    for (const auto state : seats.states) {
      counted.available += state == SeatState::kAvailable;
      counted.held += state == SeatState::kHeld;
      counted.assigned += state == SeatState::kAssigned;
      counted.blocked += state == SeatState::kBlocked;
    }
    EXPECT_EQ(seats.counts, counted);
  }
  template <class Fact>
  std::vector<Fact> Facts() {
    std::vector<Fact> facts;
    for (const auto& event : under_test_->Events()) {
      if (const auto* fact = std::get_if<Fact>(&event.fact)) facts.push_back(*fact);
    }
    return facts;
  }
  std::vector<BookingEvent> Events() { return under_test_->Events(); }
  std::vector<AuditRow> Audit() { return under_test_->Audit(); }
  std::vector<Event> Feed() { return under_test_->Feed(); }
  std::int64_t NewestEvent() {
    const auto feed = Feed();
    return feed.empty() ? 0 : feed.back().id;
  }
  // The types of the events after `id`.
  std::vector<std::string> TypesAfter(std::int64_t id) {
    std::vector<std::string> types;
    for (const auto& event : Feed()) {
      if (event.id > id) types.push_back(event.type);
    }
    return types;
  }

 private:
  std::unique_ptr<BookingStoreUnderTest> under_test_ = GetParam().make();
  Time now_ = TimeFromMillis(1'767'225'600'000);
};

// The contract of operations for operators, instantiated by stores that have them.
class BookingOperationsContract : public BookingContract {};

}  // namespace maejin
