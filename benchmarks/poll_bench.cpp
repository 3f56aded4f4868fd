// A poll of the real program, each with another random token of a long line, beside nginx's `return 200` of
// the same size, in turns, on the same cores. Goal: at most 1.1 times nginx's CPU per request.
//   poll_bench [--small] [--waiting N] [--connections N] [--seconds S] [--rounds N]
#include <cstdio>
#include <random>
#include <stdexcept>

#include <fmt/format.h>

#include "benchmarks/http_driver.h"
#include "benchmarks/maejin_process.h"
#include "benchmarks/nginx.h"

namespace maejin::bench {
namespace {

struct Arguments {
  std::uint64_t waiting = 100'000;
  int connections = 64;
  int milliseconds = 2000;
  int rounds = 3;
};

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
    if (flag == "--small") arguments = {500, 8, 100, 1};
    if (flag == "--waiting") arguments.waiting = static_cast<std::uint64_t>(value());
    if (flag == "--connections") arguments.connections = static_cast<int>(value());
    if (flag == "--seconds") arguments.milliseconds = static_cast<int>(value() * 1000);
    if (flag == "--rounds") arguments.rounds = static_cast<int>(value());
  }
  return arguments;
}

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

// One inside, everybody else in line.
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

int Main(int argc, char** argv) {
  const auto arguments = Parse(argc, argv);
  const MaejinProcess maejin;
  const auto tokens = Fill(maejin, arguments.waiting);
  std::mt19937_64 random(1);
  LoadOptions load;
  load.connections = arguments.connections;
  load.duration = std::chrono::milliseconds(arguments.milliseconds);
  load.warm_up = load.duration / 10;
  load.request = [&](std::uint64_t) {
    return "GET /api/v1/rooms/main/entries/me HTTP/1.1\r\nHost: tickets.example\r\nUser-Agent: "
           "Mozilla/5.0\r\n"
           "Accept: application/json\r\nX-Queue-Token: " +
           tokens[random() % tokens.size()] + "\r\n\r\n";
  };
  std::string body;
  load.answered = [&](int, std::string_view text) {
    if (body.empty()) body = text;
  };
  load.address = maejin.address();
  load.server_pids = {maejin.pid()};
  LoadOptions sample = load;
  sample.most_requests = 1;
  Drive(sample);
  load.answered = {};
  const Nginx nginx(body, 2);
  double ours = 0;
  double theirs = 0;
  for (int round = 0; round < arguments.rounds; ++round) {
    load.address = maejin.address();
    load.server_pids = {maejin.pid()};
    const auto polls = Drive(load);
    fmt::print("maejin  {}\n", Describe(polls));
    load.address = nginx.address();
    load.server_pids = nginx.pids();
    const auto yardstick = Drive(load);
    fmt::print("nginx   {}\n", Describe(yardstick));
    ours += polls.server_cpu_us;
    theirs += yardstick.server_cpu_us;
  }
  fmt::print("CPU per poll of {} waiting: maejin {:.2f} us, nginx return 200 {:.2f} us, ratio {:.2f}\n",
             tokens.size(), ours / arguments.rounds, theirs / arguments.rounds, ours / theirs);
  return 0;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) {
  try {
    return maejin::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "poll_bench: %s\n", error.what());
    return 1;
  }
}
