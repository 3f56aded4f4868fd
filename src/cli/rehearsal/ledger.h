// The answers that the fans of a rehearsal got. Independent of the server's state: the audit compares the
// two.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "cli/fans/fan.h"
#include "cli/rehearsal/line_history.h"
#include "domain/words.h"

namespace maejin::cli {

// The history of one place in the line.
struct Visit {
  FanHistory history;
  std::chrono::milliseconds poll_interval{0};
  Moment polled = kNever;  // when the last answered poll was sent
};

// The outcome of a reservation as far as its fan knows.
enum class FanOutcome : std::uint8_t {
  kHeld,     // neither paid nor cancelled
  kPaid,     // the payment was confirmed
  kRefused,  // the payment was refused
  kGivenUp,  // cancelled by the fan
  kUnknown,  // the answer of the payment was lost, or it stayed pending
};

struct LedgerReservation {
  std::string user;
  ScheduleId schedule = 0;
  std::vector<std::int64_t> seats;
  FanOutcome outcome = FanOutcome::kHeld;
  std::optional<Time> paid_at;
  bool reported_sold_out = false;  // the payment's answer had concertSoldOut
  Moment sent{};                   // of the hold
  Moment answered{};
  Moment given_back = kNever;  // when the answer of the cancellation arrived
};

// A hold request with a lost answer or a 5xx: the server may have made the hold.
struct LostHold {
  Moment sent{};
  Moment answered{};  // or when the client gave up
};

// Written by one thread.
class Ledger final : public ExchangeObserver {
 public:
  void OnExchange(const Exchange& exchange) override;
  // Merges the ledger of another thread, whose fans have other names.
  void Add(Ledger&& other);

  std::unordered_map<std::string, Visit> visits;             // by user
  std::map<std::string, LedgerReservation> reservations;     // by reservation number
  std::int64_t duplicate_reservation_ids = 0;                // reservation numbers given to two holds
  std::unordered_map<std::string, int> unknown_holds;        // by user: number of holds whose answer was lost
  std::map<std::pair<FanStep, int>, std::int64_t> answers;   // count by step and status; status 0: no answer
  std::map<std::string, std::int64_t> refusals;              // by the problem's code
  std::array<std::vector<std::uint32_t>, kFanSteps> micros;  // latency of each answer
  std::vector<Moment> unknown_answers;                       // times of lost answers and 5xx
  std::vector<LostHold> lost_holds;

 private:
  void RecordJoin(const Exchange& exchange);
  void RecordPlace(Visit& visit, const FanAnswer& answer);
  static void RecordReady(FanHistory& history, Moment answered);
  void RecordPoll(const Exchange& exchange);
  void RecordEnter(const Exchange& exchange);
  void RecordHold(const Exchange& exchange);
  void RecordPayment(const Exchange& exchange);
};

std::string_view Name(FanStep step);

}  // namespace maejin::cli
