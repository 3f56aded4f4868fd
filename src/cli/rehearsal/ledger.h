// What the fans of a rehearsal were told, written down by themselves. Knows nothing of the server's own books: the audit
// compares the two.
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

// One place in the line: what the room told its fan.
struct Visit {
  FanHistory history;
  std::chrono::milliseconds told_to_poll{0};
  Moment polled = kNever;  // sent: the last poll that was answered
};

// What became of a reservation as far as its fan knows.
enum class Promise : std::uint8_t {
  kHeld,     // and nothing more was asked
  kPaid,     // the fan was told so
  kRefused,  // the fan was told that the payment failed
  kGivenUp,  // cancelled by the fan
  kUnknown,  // a payment was asked for, and its answer was lost or never came to an end
};

struct Reserved {
  std::string user;
  ScheduleId schedule = 0;
  std::vector<std::int64_t> seats;
  Promise promise = Promise::kHeld;
  std::optional<Time> paid_at;
  bool told_sold_out = false;  // this payment sold the last seat
};

// One thread's, while it is written.
class Ledger final : public Witness {
 public:
  void Hear(const Exchange& exchange) override;
  // Takes over what another thread's fans were told: their names are others.
  void Add(Ledger&& other);

  std::unordered_map<std::string, Visit> visits;             // by user
  std::map<std::string, Reserved> reservations;              // by reservation number
  std::int64_t numbers_told_twice = 0;                       // reservation numbers that two holds were given
  std::unordered_map<std::string, int> unknown_holds;        // by user: holds whose answer was lost
  std::map<std::pair<FanStep, int>, std::int64_t> answers;   // by status; 0: none came
  std::map<std::string, std::int64_t> refusals;              // by the problem's code
  std::array<std::vector<std::uint32_t>, kFanSteps> micros;  // how long each answer took
  std::vector<Moment> troubles;                              // when an answer was lost or blamed the server

 private:
  void HearJoin(const Exchange& exchange);
  void HearPlace(Visit& visit, const FanAnswer& answer);
  void HearPoll(const Exchange& exchange);
  void HearEnter(const Exchange& exchange);
  void HearHold(const Exchange& exchange);
  void HearPayment(const Exchange& exchange);
};

std::string_view Name(FanStep step);

}  // namespace maejin::cli
