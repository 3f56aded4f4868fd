// A simulated fan: joins the line, waits as told, enters, picks a seat, holds it, and pays — or gives up.
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

// What all fans of one concert did so far.
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

// What a fan asked for, and what it was told.
struct Exchange {
  FanStep step = FanStep::kJoin;
  std::string_view user;
  std::string_view reservation;  // kPay, kCancel
  const FanAnswer& answer;
};

// Hears everything that fans ask for and are told, on their thread.
class Witness {
 public:
  virtual ~Witness() = default;
  virtual void Hear(const Exchange& exchange) = 0;
};

// What users show as Authorization where the server believes no bare name.
class UserTokens {
 public:
  virtual ~UserTokens() = default;
  // "Bearer …". From any thread.
  virtual std::string Of(const std::string& user) const = 0;
};

struct Stage {
  config::Address server;
  ConcertId concert = 0;
  std::vector<ScheduleId> schedules;
  std::uint64_t seed = 1;
  std::size_t connections = 900;  // of one crowd; a server takes 1,000 from one address unless told otherwise
  Millis thinks{1500};            // how long a fan looks at the seats it holds before paying, about
  const UserTokens* users = nullptr;  // absent: names are believed
};

// One person. Lives on one io_context.
class Fan {
 public:
  // What one crowd shares.
  struct World {
    const Stage& stage;
    CrowdCounts& counts;
    const std::atomic<bool>& stopping;
    FanClient& client;
    Witness* witness;  // null: nobody listens
  };

  Fan(Executor executor, World world, int number);

  // Arrives after `delay` and comes back, under another name, until the concert is sold out. Only on the
  // first visit may a fan give up: whoever comes back buys, so that every sale ends in a sell-out.
  Task<void> Run(Millis delay);

 private:
  enum class Mood : std::uint8_t { kBuys, kCancels, kForgets };
  struct Wish {
    ScheduleId schedule = 0;
    std::vector<std::int64_t> seats;
  };

  Task<void> Visit();
  Task<bool> WaitForTurn();
  Task<bool> Enter();
  Task<void> Shop();
  Task<std::optional<Wish>> PickSeats();
  Task<FanAnswer> Hold(Wish wish);
  Task<void> Decide(FanAnswer hold, std::int64_t seats);
  Task<FanAnswer> Pay(std::string reservation, std::int64_t amount);
  Task<void> Leave();
  Task<void> Sleep(Millis length);
  // `subject`: the reservation, where the step is about one.
  struct Question {
    FanStep step = FanStep::kJoin;
    std::string_view method = "GET";
    std::string target;
    std::string body = {};
    std::string subject = {};
  };
  Task<FanAnswer> Ask(Question question);
  Task<FanAnswer> Insist(Question question);

  std::string Room(std::string_view rest) const;
  bool Done() const { return world_.stopping || world_.counts.sold_out; }
  std::int64_t Between(std::int64_t low, std::int64_t high);
  Mood NextMood();

  Executor executor_;
  World world_;
  std::mt19937_64 chance_;
  int number_;
  int visit_ = 0;
  std::string user_;
  std::string token_;
  std::string authorization_;
};

}  // namespace maejin::cli
