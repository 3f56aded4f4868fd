// Two reports about one payment at the same moment, for every pair of reports and every state of the payment and its hold.
// The race is lost where the result is none of the two results that the reports have one after the other, or where
// captured money has neither seats nor a refund (I8).
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/run_task.h"
#include "store/booking_store.h"

namespace maejin {

class PaymentRace {
 public:
  // The two reports go to `nodes[0]` and `nodes[1]`, which may be one store. Seats(rounds) seats of `schedule` are available.
  PaymentRace(std::array<BookingStore*, 2> nodes, ScheduleId schedule, Time now)
      : nodes_(nodes), schedule_(schedule), now_(now) {}

  // Where the payment and its hold are when the reports arrive.
  enum class Start {
    kPending,
    kPendingExpired,
    kPendingResold,
    kPendingCancelled,
    kFailed,
    kFailedResold,
    kCaptured,
    kRefundDueLate,
    kRefundDueAbandoned,
    kRefunded,
  };
  static constexpr int kStarts = 10;
  // kCancelled stands for the customer's own cancellation.
  static constexpr std::array<PaymentChange, 6> kReports = {
      PaymentChange::kCaptured,  PaymentChange::kDeclined, PaymentChange::kAbandoned,
      PaymentChange::kCancelled, PaymentChange::kRefunded, PaymentChange::kNothingTaken};
  // Seats that RunAll() uses.
  static constexpr int Seats(int rounds) { return kStarts * 21 * (rounds + 2); }

  void RunAll(int rounds) {
    for (int start = 0; start < kStarts; ++start) {
      for (std::size_t first = 0; first < kReports.size(); ++first) {
        for (std::size_t second = first; second < kReports.size(); ++second) {
          RunPair(static_cast<Start>(start), kReports[first], kReports[second], rounds);
        }
      }
    }
  }

 private:
  struct Case {
    Reservation held;
    Payment payment;  // as the reports see it
    Time now;
    bool captured = false;  // the provider had the money before the race
  };
  using Result = std::tuple<PaymentStatus, ReservationStatus>;

  void RunPair(Start start, PaymentChange first, PaymentChange second, int rounds) {
    const auto one_by_one = [&](PaymentChange before, PaymentChange after) {
      const auto each = Make(start);
      Send(*nodes_[0], each, before);
      Send(*nodes_[1], each, after);
      return ResultOf(each);
    };
    const std::array expected{one_by_one(first, second), one_by_one(second, first)};
    for (int round = 0; round < rounds; ++round) {
      const auto each = Make(start);
      std::barrier together(2);
      std::thread other([&] {
        together.arrive_and_wait();
        Send(*nodes_[1], each, second);
      });
      together.arrive_and_wait();
      Send(*nodes_[0], each, first);
      other.join();
      const auto result = ResultOf(each);
      const auto what = "start " + std::to_string(static_cast<int>(start)) + ", " + std::string(Name(first)) +
                        " and " + std::string(Name(second)) + ": " + std::string(Name(std::get<0>(result)));
      EXPECT_TRUE(result == expected[0] || result == expected[1]) << what;
      const bool captured =
          each.captured || first == PaymentChange::kCaptured || second == PaymentChange::kCaptured;
      const bool seated = result == Result{PaymentStatus::kCaptured, ReservationStatus::kConfirmed};
      const bool refund =
          std::get<0>(result) == PaymentStatus::kRefundDue || std::get<0>(result) == PaymentStatus::kRefunded;
      if (captured) {
        EXPECT_NE(seated, refund) << what;
      }
    }
  }

  Case Make(Start start) {
    Case made;
    made.now = now_;
    const auto seat = ++seat_;
    made.held = *Hold(seat, "fan-" + std::to_string(seat), made.now);
    const Claim claim{made.held.id, made.held.user};
    PaymentRequest request{made.held.amount, "callback"};
    made.payment = *RunTask(nodes_[0]->BeginPayment(claim, request, made.now))->payment;
    const auto report = [&](PaymentChange change) { Send(*nodes_[0], made, change); };
    const auto expire = [&] {
      made.now = made.held.expires_at;
      for (auto* node : nodes_) node->ExpireHolds(made.now);
    };
    const auto resell = [&] {
      expire();
      EXPECT_TRUE(Hold(seat, "quick-" + std::to_string(seat), made.now).ok());
    };
    switch (start) {
      case Start::kPending:
        break;
      case Start::kPendingExpired:
        expire();
        break;
      case Start::kPendingResold:
        resell();
        break;
      case Start::kPendingCancelled:
        report(PaymentChange::kCancelled);
        break;
      case Start::kFailed:
        report(PaymentChange::kDeclined);
        break;
      case Start::kFailedResold:
        report(PaymentChange::kDeclined);
        resell();
        break;
      case Start::kCaptured:
        report(PaymentChange::kCaptured);
        break;
      case Start::kRefundDueLate:
      case Start::kRefunded:
        resell();
        report(PaymentChange::kCaptured);
        if (start == Start::kRefunded) report(PaymentChange::kRefunded);
        break;
      case Start::kRefundDueAbandoned:
        expire();
        report(PaymentChange::kAbandoned);
        break;
    }
    made.captured = start == Start::kCaptured || start == Start::kRefundDueLate || start == Start::kRefunded;
    made.payment = *RunTask(nodes_[0]->FindPayment(made.payment.id, made.now))->payment;
    // The next hold begins after this one's deadline, so that no time runs backwards.
    now_ = made.now;
    return made;
  }

  void Send(BookingStore& store, const Case& each, PaymentChange change) {
    if (change == PaymentChange::kCancelled) {
      // Refused where the hold expired: then it changes nothing.
      [[maybe_unused]] const auto cancelled =
          RunTask(store.Cancel(Claim{each.held.id, each.held.user}, each.now));
      return;
    }
    PaymentReport report{each.payment.id, change};
    if (change == PaymentChange::kNothingTaken) report.seen = each.payment;
    EXPECT_TRUE(RunTask(store.RecordPayment(report, each.now)).ok());
  }
  Outcome<Reservation> Hold(SeatNumber seat, std::string user, Time now) {
    HoldRequest request;
    request.schedule = schedule_;
    request.seats = {seat};
    request.user = std::move(user);
    return RunTask(nodes_[0]->Hold(std::move(request), now));
  }
  Result ResultOf(const Case& each) {
    const auto found = RunTask(nodes_[0]->FindPayment(each.payment.id, each.now));
    return {found->payment->status, found->reservation.status};
  }

  std::array<BookingStore*, 2> nodes_;
  ScheduleId schedule_;
  Time now_;
  SeatNumber seat_ = 0;
};

}  // namespace maejin
