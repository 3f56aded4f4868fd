// The waiting room of the real program: restart with many waiters, polls beside nginx, durable joins, idle
// listeners. Goals: restart with 1 M waiters < 2 s; poll ≤ 1.1 × nginx's CPU; ≥ 50,000 durable joins/s; ≤ 1
// KiB a listener.
//   waiting_room_bench [--small] [--waiters N] [--seconds S] [--rounds N] [--listeners N]
#include <cstdio>
#include <cstring>
#include <random>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adapters/embedded/database.h"
#include "adapters/embedded/key_store.h"
#include "adapters/embedded/waiting_room_store.h"
#include "benchmarks/http_driver.h"
#include "benchmarks/nginx.h"
#include "tests/support/server_process.h"

namespace maejin::bench {
namespace {

using testing::ScratchFolder;
using testing::ServerProcess;

struct Arguments {
  std::uint32_t waiters = 1'000'000;
  int milliseconds = 3000;
  int rounds = 3;
  int listeners = 15'000;
};

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
    if (flag == "--small") arguments = {1000, 100, 1, 50};
    if (flag == "--waiters") arguments.waiters = static_cast<std::uint32_t>(value());
    if (flag == "--seconds") arguments.milliseconds = static_cast<int>(value() * 1000);
    if (flag == "--rounds") arguments.rounds = static_cast<int>(value());
    if (flag == "--listeners") arguments.listeners = static_cast<int>(value());
  }
  return arguments;
}

Time WallTime() { return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()); }

std::string UserOf(std::uint32_t number) { return fmt::format("fan{}", number); }

// `main` as a claim room without a slot, and everybody waiting in it: written as the server writes it.
void Seed(const std::filesystem::path& data, std::uint32_t waiters) {
  const auto path = (data / "maejin.db").string();
  SystemRandom random;
  {
    embedded::Journal journal(embedded::OpenDatabase(path));
    embedded::Connection reader(path, embedded::Connection::Mode::kReadOnly);
    embedded::AuditLog audit(reader, journal);
    embedded::WaitingRoomStore store(reader, journal, audit, random, WallTime());
    journal.Flush();
  }
  embedded::Connection writer(path);
  writer.Execute("UPDATE room SET capacity = 0, admission = 'claim' WHERE name = 'main'");
  writer.Execute(
      fmt::format("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) INSERT INTO "
                  "place (room, number, user, joined_at) SELECT 1, i, 'fan' || i, {} FROM n",
                  waiters, ToMillis(WallTime()))
          .c_str());
}

std::vector<std::string> SomeTokens(const std::filesystem::path& data, std::uint32_t waiters,
                                    std::size_t count) {
  SystemRandom random;
  auto keys = embedded::OpenKeys(data / "keys", random);
  if (!keys) throw std::runtime_error(keys.error());
  std::mt19937 chance(3);
  std::vector<std::string> tokens(count);
  for (auto& token : tokens) {
    const auto number = static_cast<PlaceNumber>(chance() % waiters + 1);
    AppendPlaceToken(**keys, {"main", UserOf(number), number, 1}, token);
  }
  return tokens;
}

std::string PollText(const std::string& token) {
  return fmt::format(
      "GET /api/v1/rooms/main/entries/me HTTP/1.1\r\nHost: tickets.example\r\nUser-Agent: Mozilla/5.0\r\n"
      "Accept: application/json\r\nX-Queue-Token: {}\r\n\r\n",
      token);
}

void MeasurePolls(const Arguments& arguments, const ServerProcess& server,
                  const std::vector<std::string>& tokens) {
  const Nginx nginx(std::string(330, 'x'), 2);
  std::vector<std::string> texts;
  for (const auto& token : tokens) texts.push_back(PollText(token));
  LoadOptions load;
  load.duration = std::chrono::milliseconds(arguments.milliseconds);
  load.warm_up = load.duration / 10;
  load.request = [&](std::uint64_t n) { return texts[n % texts.size()]; };
  double ours = 0;
  double theirs = 0;
  for (int round = 0; round < arguments.rounds; ++round) {
    load.address = server.address();
    load.server_pids = {server.pid()};
    const auto polls = Drive(load);
    fmt::print("poll    {}\n", Describe(polls));
    load.address = nginx.address();
    load.server_pids = nginx.pids();
    const auto yardstick = Drive(load);
    fmt::print("nginx   {}\n", Describe(yardstick));
    ours += polls.server_cpu_us;
    theirs += yardstick.server_cpu_us;
  }
  fmt::print("CPU per poll with {} waiting: {:.2f} us, nginx {:.2f} us, ratio {:.2f}\n", arguments.waiters,
             ours / arguments.rounds, theirs / arguments.rounds, ours / theirs);
}

void MeasureJoins(const Arguments& arguments, const ServerProcess& server) {
  LoadOptions load;
  load.address = server.address();
  load.server_pids = {server.pid()};
  load.connections = 128;
  load.pipeline = 16;
  load.duration = std::chrono::milliseconds(arguments.milliseconds);
  load.warm_up = load.duration / 10;
  load.request = [](std::uint64_t n) {
    const auto body = fmt::format(R"({{"userId":"new{}"}})", n);
    return fmt::format(
        "POST /api/v1/rooms/main/entries HTTP/1.1\r\nHost: x\r\nContent-Type: "
        "application/json\r\nContent-Length: "
        "{}\r\n\r\n{}",
        body.size(), body);
  };
  fmt::print("durable joins  {}\n", Describe(Drive(load)));
}

int Connect(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    throw std::runtime_error("cannot connect a listener");
  }
  return fd;
}

void MeasureListeners(const Arguments& arguments, const ServerProcess& server,
                      const std::vector<std::string>& tokens) {
  const auto before = server.ResidentBytes();
  std::vector<int> sockets;
  for (int i = 0; i < arguments.listeners; ++i) {
    sockets.push_back(Connect(server.address()));
    const auto text =
        fmt::format("GET /api/v1/rooms/main/stream HTTP/1.1\r\nHost: x\r\nX-Queue-Token: {}\r\n\r\n",
                    tokens[static_cast<std::size_t>(i) % tokens.size()]);
    if (send(sockets.back(), text.data(), text.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error("send");
    char answer[2048];
    if (recv(sockets.back(), answer, sizeof answer, 0) < 12 || std::memcmp(answer, "HTTP/1.1 200", 12) != 0) {
      throw std::runtime_error("a listener was refused");
    }
  }
  usleep(2'500'000);
  const auto bytes = static_cast<double>(server.ResidentBytes()) - static_cast<double>(before);
  fmt::print("{} idle listeners: {:.0f} bytes each in the process\n", arguments.listeners,
             bytes / arguments.listeners);
  for (const int fd : sockets) close(fd);
}

void RaiseFileLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int Main(int argc, char** argv) {
  RaiseFileLimit();
  const auto arguments = Parse(argc, argv);
  const ScratchFolder folder("room-bench");
  Seed(folder.path(), arguments.waiters);
  const auto tokens = SomeTokens(folder.path(), arguments.waiters, 100'000);
  const auto binary = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "maejin";
  const ServerProcess server(binary, folder.path(), {"--http-connections-per-address", "1000000"});
  fmt::print("start with {} waiters: {:.2f} s ({:.2f} s CPU), {:.0f} MiB resident\n", arguments.waiters,
             server.start_time().count(), CpuMicros(server.pid()) / 1e6,
             static_cast<double>(server.ResidentBytes()) / 1048576);
  MeasurePolls(arguments, server, tokens);
  MeasureJoins(arguments, server);
  if (arguments.listeners > 0) MeasureListeners(arguments, server, tokens);
  return 0;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) {
  try {
    return maejin::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "waiting_room_bench: {}\n", error.what());
    return 1;
  }
}
