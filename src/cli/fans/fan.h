// A simulated fan: joins the line, polls, enters, picks seats, holds them, and pays, cancels or abandons
// them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "cli/fans/fan_client.h"
#include "domain/words.h"

namespace maejin::cli {

// Counters over all fans of one crowd.
struct CrowdCounts {
  std::atomic<std::int64_t> waiting{0};
  std::atomic<std::int64_t> inside{0};
  std::atomic<std::int64_t> held{0};
  std::atomic<std::int64_t> paid{0};  // seats
  std::atomic<std::int64_t> gave_up{0};
  std::atomic<bool> sold_out{false};
};

enum class FanStep : std::uint8_t { kJoin, kPoll, kEnter, kSeats, kHold, kPay, kCancel, kLeave };
inline constexpr std::size_t kFanSteps = 8;

// A fan's request and its answer.
struct Exchange {
  FanStep step = FanStep::kJoin;
  std::string_view user;
  std::string_view reservation;  // kPay, kCancel
  const FanAnswer& answer;
};

// Gets every exchange of a crowd's fans, on the crowd's thread.
class ExchangeObserver {
 public:
  virtual ~ExchangeObserver() = default;
  virtual void OnExchange(const Exchange& exchange) = 0;
};

// Makes the Authorization header of a user, for servers that require signed user tokens.
class UserTokens {
 public:
  virtual ~UserTokens() = default;
  // "Bearer …". Thread-safe.
  virtual std::string Of(const std::string& user) const = 0;
};

struct SimulatedSale {
  config::Address server;
  ConcertId concert = 0;
  std::vector<ScheduleId> schedules;
  std::uint64_t seed = 1;
  std::size_t connections = 900;      // of one crowd; a server accepts 1,000 per address by default
  Millis think_time{1500};            // average time between hold and payment
  const UserTokens* users = nullptr;  // null: the server trusts user ids
};

// Runs on one io_context.
class Fan {
 public:
  // State shared by the fans of a crowd.
  struct Shared {
    const SimulatedSale& sale;
    CrowdCounts& counts;
    const std::atomic<bool>& stopping;
    FanClient& client;
    ExchangeObserver* observer;  // or null
  };

  Fan(Executor executor, Shared shared, int number);

  // Arrives after `delay`, and returns as a new user until the concert is sold out. A fan gives up only on
  // its first visit, so every sale ends in a sell-out.
  Task<void> Run(Millis delay);

 private:
  enum class Decision : std::uint8_t { kBuys, kCancels, kForgets };
  struct SeatPick {
    ScheduleId schedule = 0;
    std::vector<std::int64_t> seats;
  };

  Task<void> Visit();
  Task<bool> WaitForTurn();
  Task<bool> Enter();
  Task<void> Shop();
  Task<std::optional<SeatPick>> PickSeats();
  Task<FanAnswer> Hold(SeatPick pick);
  Task<void> Decide(FanAnswer hold, std::int64_t seats);
  Task<FanAnswer> Pay(std::string reservation, std::int64_t amount);
  Task<void> Leave();
  Task<void> Sleep(Millis length);
  // `subject`: the reservation that the step pays or cancels; else empty.
  struct Question {
    FanStep step = FanStep::kJoin;
    std::string_view method = "GET";
    std::string target;
    std::string body = {};
    std::string subject = {};
  };
  Task<FanAnswer> Ask(Question question);
  Task<FanAnswer> AskUntilSettled(Question question);

  std::string Room(std::string_view rest) const;
  bool Done() const { return shared_.stopping || shared_.counts.sold_out; }
  std::int64_t Between(std::int64_t low, std::int64_t high);
  Decision NextDecision();

  Executor executor_;
  Shared shared_;
  std::mt19937_64 random_;
  int number_;
  int visit_ = 0;
  std::string user_;
  std::string token_;
  std::string authorization_;
};

}  // namespace maejin::cli
