// The waiting room of the program. Goals: restart with 1 M waiters < 2 s; poll ≤ 1.1 × nginx's CPU; ≥ 50,000
// durable joins/s; ≤ 1 KiB per idle listener.
//   waiting_room_bench [--small] [--waiters N] [--seconds S] [--rounds N] [--listeners N]
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adapters/embedded/database.h"
#include "adapters/embedded/key_store.h"
#include "adapters/embedded/waiting_room/waiting_room_store.h"
#include "benchmarks/nginx.h"
#include "benchmarks/rounds.h"
#include "tests/support/server_process.h"

namespace maejin::bench {
namespace {

using testing::ScratchFolder;
using testing::ServerProcess;

Time WallTime() { return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()); }

std::string UserOf(std::uint32_t number) { return fmt::format("fan{}", number); }

// Writes the room `main` in claim mode without slots, with all fans waiting, in the format of the server.
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

void MeasurePolls(Rounds rounds, const ServerProcess& server, const std::vector<std::string>& tokens,
                  std::uint32_t waiters) {
  const Nginx nginx(std::string(330, 'x'), 2);
  std::vector<std::string> texts;
  for (const auto& token : tokens) texts.push_back(PollText(token));
  rounds.load.request = [&](std::uint64_t n) { return texts[n % texts.size()]; };
  const auto cpu = InTurns(rounds, {"poll", server.address(), server.pid()}, nginx);
  fmt::print("CPU per poll with {} waiting: {:.2f} us, nginx {:.2f} us, ratio {:.2f}\n", waiters, cpu.ours_us,
             cpu.theirs_us, cpu.Ratio());
}

void MeasureJoins(const Rounds& rounds, const ServerProcess& server) {
  auto load = rounds.load;
  load.address = server.address();
  load.server_pids = {server.pid()};
  load.connections = 128;
  load.pipeline = 16;
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

void MeasureListeners(int count, const ServerProcess& server, const std::vector<std::string>& tokens) {
  const auto before = server.ResidentBytes();
  std::vector<int> sockets;
  for (int i = 0; i < count; ++i) {
    sockets.push_back(ConnectAndWait(server.address()));
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
  fmt::print("{} idle listeners: {:.0f} bytes each in the process\n", count, bytes / count);
  for (const int fd : sockets) close(fd);
}

int Main(const Flags& flags) {
  RaiseFileLimit();
  const auto waiters = flags.Count<std::uint32_t>("waiters", 1'000'000, 1000);
  const auto listeners = flags.Count("listeners", 15'000, 50);
  const Rounds rounds(flags);
  const ScratchFolder folder("room-bench");
  Seed(folder.path(), waiters);
  const auto tokens = SomeTokens(folder.path(), waiters, 100'000);
  const auto binary = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "maejin";
  const ServerProcess server(binary, folder.path(), {"--http-connections-per-address", "1000000"});
  fmt::print("start with {} waiters: {:.2f} s ({:.2f} s CPU), {:.0f} MiB resident\n", waiters,
             server.start_time().count(), CpuMicros(server.pid()) / 1e6,
             static_cast<double>(server.ResidentBytes()) / 1048576);
  MeasurePolls(rounds, server, tokens, waiters);
  MeasureJoins(rounds, server);
  if (listeners > 0) MeasureListeners(listeners, server, tokens);
  return 0;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) { return maejin::bench::RunBenchmark(argc, argv, maejin::bench::Main); }
