// The line and the room in memory: time of a rank, bytes per waiter. Goals with 10 M waiters: rank ≤ 100 ns,
// ≤ 64 bytes per waiter in total.
//   line_bench [--small] [--waiters N]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/random.h"
#include "domain/waiting_room/waiting_room.h"

namespace maejin::bench {
namespace {

// CPU time of this thread, so that other load does not count.
struct Clock {
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  }
};

double NanosSince(double start, std::uint64_t count) {
  return (Clock::now() - start) / static_cast<double>(count);
}

std::size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

UserKey KeyOf(std::uint64_t n) {
  const SipKey key{1, 2};
  return SipHash128(key, {reinterpret_cast<const char*>(&n), sizeof n});
}

void MeasureLine(std::uint32_t waiters) {
  Line line;
  for (std::uint32_t place = 0; place < waiters; ++place) line.Set(place);
  std::mt19937 random(1);
  for (std::uint32_t i = 0; i < waiters / 10; ++i) line.Clear(static_cast<Line::Index>(random() % waiters));
  constexpr std::uint32_t kQuestions = 5'000'000;
  std::vector<Line::Index> asked(kQuestions);
  for (auto& place : asked) place = static_cast<Line::Index>(random() % waiters);
  std::uint64_t sum = 0;
  const auto start = Clock::now();
  for (const auto place : asked) sum += line.Rank(place);
  const auto rank = NanosSince(start, kQuestions);
  const auto change = Clock::now();
  for (std::uint32_t i = 0; i < kQuestions / 5; ++i) {
    const auto place = asked[i];
    if (!line.Clear(place)) line.Set(place);
  }
  fmt::print("line of {}: rank {:.1f} ns, a change {:.1f} ns, {:.2f} bytes a place (sum {})\n", waiters, rank,
             NanosSince(change, kQuestions / 5), static_cast<double>(line.bytes()) / waiters, sum % 10);
}

void MeasureRoom(std::uint32_t waiters) {
  SeededRandom random(1);
  RoomSettings settings;
  settings.capacity = 0;
  const auto before = ResidentBytes();
  WaitingRoom room(settings, RoomState::kOpen, random);
  const auto now = TimeFromMillis(1'794'736'800'000);
  const auto joining = Clock::now();
  for (std::uint32_t fan = 1; fan <= waiters; ++fan) {
    (void)room.Join(KeyOf(fan), now + Millis{fan / 1000});
    room.changes().clear();
  }
  const auto join = NanosSince(joining, waiters);
  const auto after = ResidentBytes();
  std::mt19937 chance(2);
  constexpr std::uint32_t kPolls = 2'000'000;
  std::uint64_t sum = 0;
  const auto polling = Clock::now();
  for (std::uint32_t i = 0; i < kPolls; ++i) {
    const auto number = static_cast<PlaceNumber>(chance() % waiters + 1);
    const auto standing = room.Poll(number, KeyOf(number), now + Millis{waiters / 1000});
    sum += standing.ok() ? *standing->rank : 0;
  }
  fmt::print("room of {}: join {:.0f} ns, poll {:.0f} ns, {:.1f} bytes a waiter (counted {:.1f}) (sum {})\n",
             waiters, join, NanosSince(polling, kPolls), static_cast<double>(after - before) / waiters,
             static_cast<double>(room.bytes()) / waiters, sum % 10);
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) {
  std::uint32_t waiters = 10'000'000;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--small") == 0) waiters = 100'000;
    if (std::strcmp(argv[i], "--waiters") == 0 && i + 1 < argc) {
      waiters = static_cast<std::uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    }
  }
  maejin::bench::MeasureLine(waiters);
  maejin::bench::MeasureRoom(waiters);
  return 0;
}
