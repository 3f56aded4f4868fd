// /gate for admitted visitors, alternating with nginx's `return 200` on the same cores. Goal: at most 1.1
// times nginx's CPU per request. Beside it the offline verifier of `maejin snippet njs`, which asks maejin
// nothing.
//   gate_bench [--small] [--visitors N] [--connections N] [--seconds S] [--rounds N]
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>

#include <fmt/format.h>

#include "benchmarks/maejin_process.h"
#include "benchmarks/nginx.h"
#include "benchmarks/rounds.h"

namespace maejin::bench {
namespace {

constexpr std::string_view kRoom = "shop";

std::string JsonRequest(const std::string& line, const std::string& headers, const std::string& body) {
  return fmt::format(
      "{} HTTP/1.1\r\nHost: tickets.example\r\nContent-Type: application/json\r\n{}Content-Length: "
      "{}\r\n\r\n{}",
      line, headers, body.size(), body);
}

std::string TextField(std::string_view body, std::string_view name) {
  const auto mark = fmt::format(R"("{}":")", name);
  const auto at = body.find(mark);
  if (at == std::string_view::npos) throw std::runtime_error("unexpected answer: " + std::string(body));
  const auto start = at + mark.size();
  return std::string(body.substr(start, body.find('"', start) - start));
}

// One request after the other; returns the bodies.
std::vector<std::string> Ask(const MaejinProcess& maejin, std::uint64_t count,
                             const std::function<std::string(std::uint64_t)>& request) {
  std::vector<std::string> bodies;
  LoadOptions load;
  load.address = maejin.address();
  load.connections = 1;
  load.warm_up = std::chrono::milliseconds{0};
  load.duration = std::chrono::seconds{300};
  load.most_requests = count;
  load.request = request;
  load.answered = [&](int status, std::string_view body) {
    if (status >= 400) throw std::runtime_error("refused: " + std::string(body));
    bodies.emplace_back(body);
  };
  Drive(load);
  return bodies;
}

// Admits visitors; returns their passes. The room takes passes that are verified offline, too.
std::vector<std::string> Admit(const MaejinProcess& maejin, std::uint64_t visitors) {
  Ask(maejin, 1, [&](std::uint64_t) {
    return JsonRequest("POST /api/v1/rooms", "Authorization: Bearer " + maejin.admin_key() + "\r\n",
                       fmt::format(R"({{"id":"{}","capacity":1000000,"verify":"offline"}})", kRoom));
  });
  const auto joined = Ask(maejin, visitors, [](std::uint64_t n) {
    return JsonRequest(fmt::format("POST /api/v1/rooms/{}/entries", kRoom), "",
                       fmt::format(R"({{"userId":"visitor-{}"}})", n));
  });
  const auto entered = Ask(maejin, visitors, [&](std::uint64_t n) {
    const auto token = TextField(joined[n % joined.size()], "token");
    return JsonRequest(fmt::format("POST /api/v1/rooms/{}/enter", kRoom),
                       fmt::format("X-Queue-Token: {}\r\n", token), "{}");
  });
  std::vector<std::string> passes;
  for (const auto& body : entered) passes.push_back(TextField(body, "pass"));
  return passes;
}

// The text that a verb prints.
std::string Printed(const std::string& arguments) {
  const char* binary = std::getenv("MAEJIN_BINARY");
  const auto command = fmt::format("'{}' {}", binary ? binary : "build/release/bin/maejin", arguments);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  std::array<char, 4096> part;
  while (const auto size = fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), size);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// nginx with the connector; the shop is a `return 200` of the same nginx.
NginxSetup VerifierSetup(const MaejinProcess& maejin, const std::string& folder, int port) {
  const auto flags = fmt::format("--on-gate-error hold --room {} --maejin http://{} --listen 127.0.0.1:{}",
                                 kRoom, maejin.address(), port);
  std::ofstream(folder + "/maejin.js") << Printed("snippet njs maejin.js " + flags);
  auto site = Printed("snippet njs maejin.conf " + flags);
  ReplaceAll(site, "/var/cache/nginx-maejin", folder + "/cache");
  ReplaceAll(site, "        proxy_pass http://127.0.0.1:3000;\n", "        return 200;\n");
  return {"load_module /usr/lib/nginx/modules/ngx_http_js_module.so;\nuser root;\n",
          fmt::format("js_path {};\nsubrequest_output_buffer_size 64k;\n{}", folder, site)};
}

int Main(const Flags& flags) {
  const MaejinProcess maejin;
  const auto passes = Admit(maejin, flags.Count<std::uint64_t>("visitors", 2'000, 20));
  std::mt19937_64 random(1);
  Rounds rounds(flags);
  rounds.load.request = [&](std::uint64_t) {
    return fmt::format(
        "GET /gate?room={} HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: Mozilla/5.0\r\nAccept: text/html\r\n"
        "X-Forwarded-Proto: http\r\nX-Forwarded-Uri: /buy\r\nCookie: maejin-{}={}\r\n\r\n",
        kRoom, kRoom, passes[random() % passes.size()]);
  };
  rounds.load.answered = [](int status, std::string_view) {
    if (status >= 300) throw std::runtime_error(fmt::format("an admitted visitor was answered {}", status));
  };
  const Nginx nginx("", 2);
  const auto gate = InTurns(rounds, {"maejin", maejin.address(), maejin.pid()}, nginx);
  fmt::print(
      "CPU per /gate of {} visitors inside: maejin {:.2f} us, nginx return 200 {:.2f} us, ratio {:.2f}\n",
      passes.size(), gate.ours_us, gate.theirs_us, gate.Ratio());
  const Nginx verifier(
      [&](const std::string& folder, int port) { return VerifierSetup(maejin, folder, port); }, 1);
  const auto offline = InTurns(rounds, {"njs", verifier.address(), verifier.pids().front()}, nginx);
  fmt::print("CPU per request of the njs verifier: {:.2f} us, nginx return 200 {:.2f} us, ratio {:.2f}\n",
             offline.ours_us, offline.theirs_us, offline.Ratio());
  return 0;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) { return maejin::bench::RunBenchmark(argc, argv, maejin::bench::Main); }
