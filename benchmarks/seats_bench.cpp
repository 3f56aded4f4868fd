// The map of 100,000 seats: server CPU of the first read after a change, and of an unchanged read (ETag, 304)
// alternating with nginx's `return 200` on the same cores. Goals: 5 ms CPU, 1.2 times nginx's CPU.
//   seats_bench [--small] [--seats N] [--reads N] [--connections N] [--seconds S] [--rounds N]
#include <stdexcept>

#include <fmt/format.h>

#include "benchmarks/journeys.h"
#include "benchmarks/maejin_process.h"
#include "benchmarks/nginx.h"
#include "benchmarks/rounds.h"

namespace maejin::bench {
namespace {

// One connection with sequential requests.
class Visitor {
 public:
  explicit Visitor(const MaejinProcess& server) : server_(server) {}

  std::string Ask(const std::string& text) const { return bench::Ask(server_.address(), text); }
  std::string Order(const std::string& path, const std::string& body) const {
    return Ask(PostText(path, fmt::format("Authorization: Bearer {}\r\n", server_.admin_key()), body));
  }

 private:
  const MaejinProcess& server_;
};

std::string GetText(const std::string& path, const std::string& headers = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: tickets.example\r\nAccept: application/json\r\n{}\r\n", path,
                     headers);
}

// Creates a date with sections of 1,000 seats; returns the path of its seats.
std::string MakeHall(const Visitor& visitor, std::uint64_t seats) {
  std::string sections;
  for (std::uint64_t first = 0; first < seats; first += 1000) {
    sections +=
        fmt::format(R"({}{{"name":"S{}","rows":20,"seatsPerRow":50}})", first ? "," : "", first / 1000);
  }
  const auto made = visitor.Order(
      "/api/v1/concerts", fmt::format(R"({{"title":"T","artist":"A","venue":"V","price":1000,"room":"none",)"
                                      R"("maxSeatsPerUser":0,"cooldownSeconds":0,"schedules":[{{)"
                                      R"("concertDate":"2036-05-01","sections":[{}]}}]}})",
                                      sections));
  const auto dates = std::string_view(made).substr(made.find("\"schedules\":"));
  return fmt::format("/api/v1/schedules/{}/seats", FieldOf(dates, "id"));
}

// Server CPU per read after a change, in milliseconds: changes with reads minus changes alone.
double FirstRead(const MaejinProcess& server, const Visitor& visitor, const std::string& path,
                 const std::string& form, int reads) {
  const auto schedule = path.substr(0, path.rfind('/'));
  const auto cpu_of = [&](bool read) {
    const auto before = CpuMicros(server.pid());
    for (int i = 0; i < reads; ++i) {
      visitor.Order(schedule + (i % 2 == 0 ? "/block" : "/release"), R"({"seats":[7]})");
      if (read) visitor.Ask(GetText(path + form));
    }
    return CpuMicros(server.pid()) - before;
  };
  const auto changes = cpu_of(false);
  const auto both = cpu_of(true);
  return (both - changes) / reads / 1000;
}

int Main(const Flags& flags) {
  const MaejinProcess server;
  const Visitor visitor(server);
  const auto seats = flags.Count<std::uint64_t>("seats", 100'000, 2000);
  const auto reads = flags.Count("reads", 100, 4);
  const auto path = MakeHall(visitor, seats);
  const auto full = FirstRead(server, visitor, path, "", reads);
  const auto compact = FirstRead(server, visitor, path, "?form=compact", reads);
  fmt::print("first read of {} seats: {:.2f} ms CPU in full, {:.2f} ms compact\n", seats, full, compact);
  const auto version = std::string(FieldOf(visitor.Ask(GetText(path + "?form=compact")), "version"));
  const auto text = GetText(path + "?form=compact", fmt::format("If-None-Match: \"{}\"\r\n", version));
  const Nginx nginx("{}", 2);
  Rounds rounds(flags);
  rounds.load.request = [&](std::uint64_t) { return text; };
  rounds.load.answered = [](int status, std::string_view) {
    if (status != 200 && status != 304) throw std::runtime_error(fmt::format("answered {}", status));
  };
  const auto cpu = InTurns(rounds, {"maejin", server.address(), server.pid()}, nginx);
  fmt::print("CPU per unchanged read: maejin {:.2f} us, nginx return 200 {:.2f} us, ratio {:.2f}\n",
             cpu.ours_us, cpu.theirs_us, cpu.Ratio());
  return 0;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) { return maejin::bench::RunBenchmark(argc, argv, maejin::bench::Main); }
