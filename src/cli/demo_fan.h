// A simulated fan: joins the line, waits as told, enters, picks a seat, holds it, and pays — or gives up.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "base/task.h"
#include "base/time.h"
#include "cli/demo_client.h"
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

struct Stage {
  Address server;
  ConcertId concert = 0;
  std::vector<ScheduleId> schedules;
  std::uint64_t seed = 1;
};

// One person, one connection. Lives on one io_context.
class Fan {
 public:
  Fan(Executor executor, const Stage& stage, int number, CrowdCounts& counts,
      const std::atomic<bool>& stopping);

  // Arrives after `delay` and comes back, under another name, until the concert is sold out. Only on the
  // first visit may a fan give up: whoever comes back buys, so that every demo ends in a sell-out.
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
  Task<DemoAnswer> Hold(Wish wish);
  Task<void> Decide(DemoAnswer hold, std::int64_t seats);
  Task<void> Leave();
  Task<void> Sleep(Millis length);
  Task<DemoAnswer> Ask(std::string_view method, std::string target, std::string body);

  std::string Room(std::string_view rest) const;
  bool Done() const { return stopping_ || counts_.sold_out; }
  std::int64_t Between(std::int64_t low, std::int64_t high);
  Mood NextMood();

  Executor executor_;
  const Stage& stage_;
  CrowdCounts& counts_;
  const std::atomic<bool>& stopping_;
  DemoClient client_;
  std::mt19937_64 chance_;
  int number_;
  int visit_ = 0;
  std::string user_;
  std::string token_;
};

}  // namespace maejin::cli
