// Polls of the program with random tokens of a long line, alternating with nginx's `return 200` of the same
// size on the same cores. Goal: at most 1.1 times nginx's CPU per request.
//   poll_bench [--small] [--waiting N] [--connections N] [--seconds S] [--rounds N]
#include <random>
#include <stdexcept>

#include <fmt/format.h>

#include "benchmarks/maejin_process.h"
#include "benchmarks/nginx.h"
#include "benchmarks/rounds.h"

namespace maejin::bench {
namespace {

std::string WithBody(const std::string& line, const std::string& headers, const std::string& body) {
  return fmt::format(
      "{} HTTP/1.1\r\nHost: tickets.example\r\nContent-Type: application/json\r\n{}Content-Length: "
      "{}\r\n\r\n{}",
      line, headers, body.size(), body);
}

std::string TokenIn(std::string_view body) {
  constexpr std::string_view kField = R"("token":")";
  const auto at = body.find(kField);
  if (at == std::string_view::npos)
    throw std::runtime_error("a join was answered without a token: " + std::string(body));
  const auto start = at + kField.size();
  return std::string(body.substr(start, body.find('"', start) - start));
}

// One slot, so that all other fans wait.
std::vector<std::string> Fill(const MaejinProcess& maejin, std::uint64_t waiting) {
  LoadOptions load;
  load.address = maejin.address();
  load.connections = 1;
  load.warm_up = std::chrono::milliseconds{0};
  load.duration = std::chrono::seconds{120};
  load.most_requests = 1;
  load.request = [&](std::uint64_t) {
    return WithBody("PUT /api/v1/rooms/main", "Authorization: Bearer " + maejin.admin_key() + "\r\n",
                    R"({"capacity":1})");
  };
  load.answered = [](int status, std::string_view body) {
    if (status != 200) throw std::runtime_error("cannot configure the room: " + std::string(body));
  };
  Drive(load);
  std::vector<std::string> tokens;
  load.connections = 64;
  load.pipeline = 16;
  load.most_requests = waiting;
  load.request = [](std::uint64_t n) {
    return WithBody("POST /api/v1/rooms/main/entries", "", fmt::format(R"({{"userId":"fan-{}"}})", n));
  };
  load.answered = [&](int, std::string_view body) { tokens.push_back(TokenIn(body)); };
  const auto joined = Drive(load);
  fmt::print("joined  {}\n", Describe(joined));
  return tokens;
}

// The body of one answer, which nginx returns too.
std::string Sample(LoadOptions load, const MaejinProcess& maejin) {
  std::string body;
  load.address = maejin.address();
  load.most_requests = 1;
  load.answered = [&](int, std::string_view text) {
    if (body.empty()) body = text;
  };
  Drive(load);
  return body;
}

int Main(const Flags& flags) {
  const MaejinProcess maejin;
  const auto tokens = Fill(maejin, flags.Count<std::uint64_t>("waiting", 100'000, 500));
  std::mt19937_64 random(1);
  Rounds rounds(flags);
  rounds.load.request = [&](std::uint64_t) {
    return "GET /api/v1/rooms/main/entries/me HTTP/1.1\r\nHost: tickets.example\r\nUser-Agent: "
           "Mozilla/5.0\r\n"
           "Accept: application/json\r\nX-Queue-Token: " +
           tokens[random() % tokens.size()] + "\r\n\r\n";
  };
  const Nginx nginx(Sample(rounds.load, maejin), 2);
  const auto cpu = InTurns(rounds, {"maejin", maejin.address(), maejin.pid()}, nginx);
  fmt::print("CPU per poll of {} waiting: maejin {:.2f} us, nginx return 200 {:.2f} us, ratio {:.2f}\n",
             tokens.size(), cpu.ours_us, cpu.theirs_us, cpu.Ratio());
  return 0;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) { return maejin::bench::RunBenchmark(argc, argv, maejin::bench::Main); }
