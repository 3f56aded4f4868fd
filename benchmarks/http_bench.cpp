// The HTTP server alone: an inline route with 200 bytes of JSON, alternating with nginx's `return 200` of the
// same bytes on the same cores. Goal: at most 1.1 times nginx's CPU per request.
//   http_bench [--small] [--connections N] [--pipeline N] [--seconds S] [--rounds N] [--coroutine]
#include <csignal>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchmarks/nginx.h"
#include "benchmarks/rounds.h"
#include "http/problem.h"
#include "server/server.h"

namespace maejin::bench {
namespace {

const std::string kBody =
    R"({"token":"AAAAAAABk2d0bTEyMzQ1Njc4OTBhYmNkZWZnaGlqa2xtbm9w","status":"waiting","rank":48211,)"
    R"("aheadCount":48211,)"
    R"("position":48212,"number":73911,"pollAfterMs":3000,"eta":null,"state":"open","n":1})";

// Serves in a child process, for its CPU time.
class ToyServerProcess {
 public:
  ToyServerProcess() {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      Serve(pipe_ends[1]);
    }
    char text[64] = {};
    const auto got = read(pipe_ends[0], text, sizeof text - 1);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    if (got <= 0) throw std::runtime_error("the server does not start");
    address_ = text;
  }
  ~ToyServerProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ToyServerProcess(const ToyServerProcess&) = delete;
  ToyServerProcess& operator=(const ToyServerProcess&) = delete;

  const std::string& address() const { return address_; }
  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] static void Serve(int report) {
    http::Router router;
    http::Route poll;
    poll.pattern = "/api/v1/rooms/{eventId}/entries/me";
    poll.inline_handler = [](const http::Request&, http::Response& response) {
      response.body = kBody;
      return true;
    };
    router.Add(poll);
    http::Route waits;
    waits.pattern = "/coroutine";
    waits.handler = [](const http::Request&, http::Response& response) -> Task<Outcome<Done>> {
      response.body = kBody;
      co_return Done{};
    };
    router.Add(waits);
    http::ServerOptions options;
    options.threads = 2;
    http::Server server(router, options, {.admin_key = {}, .problems = http::Problems()});
    const auto bound = server.Listen("127.0.0.1:0");
    if (!bound.ok()) _exit(1);
    server.Start();
    [[maybe_unused]] const auto written = write(report, bound->text.data(), bound->text.size());
    server.Wait();
    _exit(0);
  }

  std::string address_;
  pid_t pid_;
};

std::string PollRequest(const char* path) {
  return fmt::format(
      "GET {} HTTP/1.1\r\nHost: tickets.example\r\nUser-Agent: Mozilla/5.0\r\nAccept: application/json\r\n"
      "X-Queue-Token: AAAAAAABk2d0bTEyMzQ1Njc4OTBhYmNkZWZnaGlqa2xtbm9wcXJzdHV2\r\n\r\n",
      path);
}

int Main(const Flags& flags) {
  const ToyServerProcess toy;
  const Nginx nginx(kBody, 2);
  const auto text = PollRequest(flags.Has("coroutine") ? "/coroutine" : "/api/v1/rooms/1/entries/me");
  Rounds rounds(flags);
  rounds.load.request = [&](std::uint64_t) { return text; };
  const auto cpu = InTurns(rounds, {"maejin", toy.address(), toy.pid()}, nginx);
  fmt::print("CPU per request: maejin {:.2f} us, nginx {:.2f} us, ratio {:.2f}\n", cpu.ours_us, cpu.theirs_us,
             cpu.Ratio());
  return 0;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) { return maejin::bench::RunBenchmark(argc, argv, maejin::bench::Main); }
