// Server memory per idle event stream, and the time of a broadcast to all. Goal: at most 1 KiB per listener
// with 15,000 listeners.
//   listeners_bench [--small] [--listeners N]
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchmarks/rounds.h"
#include "http/problem.h"
#include "server/server.h"

namespace maejin::bench {
namespace {

struct Shared {
  std::atomic<int> listeners{0};
  std::atomic<bool> broadcast{false};
  std::atomic<bool> ready{false};
  char address[64] = {};
};

double ResidentKiB(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Rss:")) return std::strtod(line.c_str() + 4, nullptr);
  }
  return 0;
}

[[noreturn]] void Serve(Shared& shared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::mutex mutex;
  std::vector<std::shared_ptr<http::EventStream>> streams;
  streams.reserve(20'000);
  http::Router router;
  http::Route route;
  route.pattern = "/stream";
  route.stream = [&](const http::Request&, std::shared_ptr<http::EventStream> stream) -> Outcome<Done> {
    const std::lock_guard lock(mutex);
    streams.push_back(std::move(stream));
    shared.listeners = static_cast<int>(streams.size());
    return Done{};
  };
  router.Add(route);
  http::ServerOptions options;
  options.threads = 2;
  options.stream_heartbeat = std::chrono::hours{1};
  http::Server server(router, options, {.admin_key = {}, .problems = http::Problems()});
  const auto bound = server.Listen("127.0.0.1:0");
  if (!bound.ok()) _exit(1);
  server.Start();
  std::strncpy(shared.address, bound->text.c_str(), sizeof shared.address - 1);
  shared.ready = true;
  while (true) {
    while (!shared.broadcast.exchange(false)) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    const auto frame = std::make_shared<const std::string>("event: position\ndata: {\"serving\":123456}\n\n");
    const std::lock_guard lock(mutex);
    for (const auto& stream : streams) stream->Send(frame);
  }
}

int Listen(const std::string& address) {
  const int fd = ConnectAndWait(address);
  constexpr std::string_view kRequest =
      "GET /stream HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n";
  if (send(fd, kRequest.data(), kRequest.size(), 0) < 0) throw std::runtime_error("send");
  return fd;
}

// Reads until every listener has received `mark` once.
void AwaitAll(const std::vector<int>& clients, std::string_view mark) {
  for (const int fd : clients) {
    std::string text;
    char bytes[1024];
    while (text.find(mark) == std::string::npos) {
      const auto got = recv(fd, bytes, sizeof bytes, 0);
      if (got <= 0) throw std::runtime_error("a listener was dropped");
      text.append(bytes, static_cast<std::size_t>(got));
    }
  }
}

int Main(const Flags& flags) {
  const auto count = flags.Count("listeners", 15'000, 200);
  RaiseFileLimit();
  auto* shared =
      new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared;
  const pid_t pid = fork();
  if (pid == 0) Serve(*shared);
  while (!shared->ready) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  std::vector<int> clients;
  // The first listeners fill the shared pools.
  for (int i = 0; i < 50; ++i) clients.push_back(Listen(shared->address));
  AwaitAll(clients, "\r\n\r\n");
  const double before = ResidentKiB(pid);
  std::vector<int> more;
  for (int i = 0; i < count; ++i) more.push_back(Listen(shared->address));
  AwaitAll(more, "\r\n\r\n");
  const double after = ResidentKiB(pid);
  const auto start = std::chrono::steady_clock::now();
  const double cpu = CpuMicros(pid);
  shared->broadcast = true;
  AwaitAll(clients, "\n\n");
  AwaitAll(more, "\n\n");
  const double millis =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{} idle listeners: {:.0f} bytes each in the process\n", count, (after - before) * 1024 / count);
  fmt::print("broadcast to all: {:.1f} ms, {:.1f} us CPU a listener\n", millis,
             (CpuMicros(pid) - cpu) / count);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return 0;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) { return maejin::bench::RunBenchmark(argc, argv, maejin::bench::Main); }
