// The sell-out over HTTP: every seat is held and paid by another fan with its own token, and every answer is
// durable. Times two requests per seat; fans join and enter before. Goal: 160,000 seats in under 7 s, with
// the load generator on the same two cores.
//   sellout_bench [--small] [--seats N] [--dates N] [--connections N] [--webhooks N [--rounds N]]
// With --webhooks: the same sale without endpoints, with N endpoints that get every event, and with N
// endpoints that answer nothing, in turns. Goal: at most 5 % slower.
#include <algorithm>
#include <stdexcept>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adapters/embedded/sqlite.h"
#include "benchmarks/journeys.h"
#include "benchmarks/maejin_process.h"
#include "benchmarks/nginx.h"
#include "benchmarks/rounds.h"

namespace maejin::bench {
namespace {

struct Arguments {
  std::uint64_t seats;
  std::uint64_t dates;
  int connections;
};

std::string Admin(const MaejinProcess& server) {
  return fmt::format("Authorization: Bearer {}\r\n", server.admin_key());
}

struct OnSale {
  std::string concert;
  std::vector<std::string> schedules;
  std::uint64_t seats_per_date = 0;
};

OnSale OpenSale(const MaejinProcess& server, const Arguments& arguments) {
  OnSale sale;
  sale.seats_per_date = arguments.seats / arguments.dates;
  std::string dates;
  for (std::uint64_t date = 0; date < arguments.dates; ++date) {
    dates += fmt::format("{}{{\"concertDate\":\"2036-05-{:02}\",\"seats\":{}}}", date ? "," : "", date + 1,
                         sale.seats_per_date);
  }
  const auto created =
      Ask(server.address(),
          PostText("/api/v1/concerts", Admin(server),
                   fmt::format(R"({{"title":"T","artist":"A","venue":"V","price":1000,"maxSeatsPerUser":0,)"
                               R"("cooldownSeconds":0,"schedules":[{}]}})",
                               dates)));
  sale.concert = FieldOf(created, "id");
  auto rest = std::string_view(created).substr(created.find("\"schedules\":"));
  for (std::uint64_t date = 0; date < arguments.dates; ++date) {
    sale.schedules.emplace_back(FieldOf(rest, "id"));
    rest.remove_prefix(rest.find('}') + 1);
  }
  auto room = PostText("/api/v1/rooms/" + sale.concert, Admin(server),
                       fmt::format(R"({{"capacity":{},"sessionLimitSeconds":86400,"tokenTtlSeconds":86400}})",
                                   arguments.seats));
  Ask(server.address(), "PUT" + room.substr(4));
  Ask(server.address(), PostText(fmt::format("/api/v1/concerts/{}/open", sale.concert), Admin(server), "{}"));
  return sale;
}

std::vector<std::string> EnterFans(const MaejinProcess& server, const OnSale& sale,
                                   const Arguments& arguments) {
  std::vector<std::string> tokens(arguments.seats);
  JourneyOptions fans;
  fans.address = server.address();
  fans.connections = arguments.connections;
  fans.journeys = arguments.seats;
  fans.steps = 2;
  fans.request = [&](std::uint64_t fan, int step) {
    if (step == 0) {
      return PostText(fmt::format("/api/v1/rooms/{}/entries", sale.concert), "",
                      fmt::format(R"({{"userId":"fan-{}"}})", fan));
    }
    return PostText(fmt::format("/api/v1/rooms/{}/enter", sale.concert),
                    fmt::format("X-Queue-Token: {}\r\n", tokens[fan]), "{}");
  };
  fans.answered = [&](std::uint64_t fan, int step, const JourneyAnswer& answer) {
    if (step == 0) tokens[fan] = FieldOf(answer.body, "token");
    return answer.status < 400;
  };
  const auto entered = Walk(fans);
  if (entered.broken > 0) throw std::runtime_error(fmt::format("{} fans could not enter", entered.broken));
  fmt::print("{} fans joined and entered in {:.2f} s\n", arguments.seats, entered.seconds);
  return tokens;
}

// Audits the database. Returns false unless every seat was sold exactly once.
bool Audit(const MaejinProcess& server, const Arguments& arguments) {
  embedded::Connection reader(server.folder() + "/maejin.db", embedded::Connection::Mode::kReadOnly);
  const auto number = [&](const char* sql) {
    auto row = reader.Prepare(sql);
    row.Step();
    return row.Int(0);
  };
  const auto assigned = number("SELECT count(*) FROM taken_seats WHERE status = 'ASSIGNED'");
  const auto distinct = number("SELECT count(*) FROM (SELECT DISTINCT schedule_id, number FROM taken_seats)");
  const auto owners = number("SELECT count(DISTINCT user_id) FROM taken_seats");
  const auto captured = number("SELECT count(*) FROM payments WHERE status = 'CAPTURED'");
  const auto sold_out = number("SELECT count(*) FROM sold_out_concerts");
  const auto told = number(
      "SELECT sum((length(body) - length(replace(body, '\"type\":\"schedule.sold-out\"', ''))) / 26 + "
      "(length(body) - length(replace(body, '\"type\":\"concert.sold-out\"', ''))) / 25) FROM events");
  const auto exact = number(
      "SELECT count(*) FROM sold_out_concerts WHERE sold_out_at = (SELECT max(paid_at) FROM reservations)");
  fmt::print(
      "audit: {} seats assigned, {} different, {} owners, {} payments, {} concert sold out, {} events of "
      "it\n",
      assigned, distinct, owners, captured, sold_out, told);
  const auto seats = static_cast<std::int64_t>(arguments.seats);
  return assigned == seats && distinct == seats && owners == seats && captured == seats && sold_out == 1 &&
         exact == 1 && told == 1 + static_cast<std::int64_t>(arguments.dates);
}

JourneyReport Sell(const MaejinProcess& server, const OnSale& sale, const Arguments& arguments,
                   const std::vector<std::string>& tokens) {
  std::vector<std::string> reservations(arguments.seats);
  JourneyOptions load;
  load.address = server.address();
  load.connections = arguments.connections;
  load.journeys = arguments.seats;
  load.steps = 2;
  load.request = [&](std::uint64_t seat, int step) {
    if (step == 0) {
      return PostText(
          "/api/v1/reservations", fmt::format("X-Queue-Token: {}\r\n", tokens[seat]),
          fmt::format(R"({{"scheduleId":{},"seats":[{}]}})", sale.schedules[seat / sale.seats_per_date],
                      seat % sale.seats_per_date + 1));
    }
    return PostText(fmt::format("/api/v1/reservations/{}/payment", reservations[seat]),
                    fmt::format("X-User-Id: fan-{}\r\n", seat), R"({"amount":1000})");
  };
  load.answered = [&](std::uint64_t seat, int step, const JourneyAnswer& answer) {
    if (step == 0) reservations[seat] = FieldOf(answer.body, "reservationId");
    if (answer.status >= 400) fmt::print("{}\n", answer.body);
    return answer.status == (step == 0 ? 201 : 200);
  };
  return Walk(load);
}

struct Sold {
  double seconds = 0;
  double cpu_seconds = 0;
  bool good = false;
};

// One sale on a new server. `endpoints`: URLs that get every event.
Sold SellOut(const Arguments& arguments, const std::vector<std::string>& endpoints) {
  MaejinProcess server({"--webhooks-allow-private", "true"});
  for (const auto& url : endpoints) {
    Ask(server.address(), PostText("/api/v1/admin/webhooks", Admin(server),
                                   fmt::format(R"({{"url":"{}","types":["*"]}})", url)));
  }
  const auto sale = OpenSale(server, arguments);
  const auto tokens = EnterFans(server, sale, arguments);
  const auto cpu_before = CpuMicros(server.pid());
  const auto report = Sell(server, sale, arguments, tokens);
  const auto cpu = (CpuMicros(server.pid()) - cpu_before) / 1e6;
  const auto seats = static_cast<double>(arguments.seats);
  fmt::print(
      "sold {} seats in {:.2f} s: {:.0f} holds/s and {:.0f} payments/s; server CPU {:.2f} s, {:.1f} us a "
      "request\n",
      arguments.seats, report.seconds, seats / report.seconds, seats / report.seconds, cpu,
      cpu * 1e6 / (2 * seats));
  const char* names[] = {"hold", "payment"};
  for (int step = 0; step < 2; ++step) {
    const auto& latency = report.steps[static_cast<std::size_t>(step)];
    fmt::print("{:8} p50 {:.1f} ms, p99 {:.1f} ms, max {:.1f} ms\n", names[step], latency.p50_us / 1000,
               latency.p99_us / 1000, latency.max_us / 1000);
  }
  server.Stop();
  const bool good = Audit(server, arguments) && report.broken == 0;
  fmt::print("{}\n", good ? "every seat was sold exactly once" : "THE AUDIT FAILED");
  return {report.seconds, cpu, good};
}

// Accepts connections, by its backlog, and answers nothing.
class SilentReceiver {
 public:
  SilentReceiver() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof at;
    if (bind(fd_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 || listen(fd_, 1000) != 0 ||
        getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &length) != 0)
      throw std::runtime_error("cannot listen");
    address_ = fmt::format("127.0.0.1:{}", ntohs(at.sin_port));
  }
  ~SilentReceiver() { close(fd_); }
  SilentReceiver(const SilentReceiver&) = delete;
  SilentReceiver& operator=(const SilentReceiver&) = delete;

  const std::string& address() const { return address_; }

 private:
  const int fd_;
  std::string address_;
};

// The same sale in turns: without endpoints, with endpoints that answer, with endpoints that do not.
int CompareWebhooks(const Flags& flags, const Arguments& arguments, std::size_t count) {
  const Nginx receiver("{}", 1);
  const SilentReceiver silent;
  struct Case {
    const char* name;
    std::vector<std::string> endpoints;
    std::vector<Sold> rounds = {};
  };
  Case cases[] = {{"no endpoint", {}},
                  {"endpoints that answer", std::vector(count, "http://" + receiver.address() + "/")},
                  {"endpoints that are silent", std::vector(count, "http://" + silent.address() + "/")}};
  const int rounds = flags.Count("rounds", 3, 1);
  for (int round = 0; round < rounds; ++round) {
    for (auto& each : cases) {
      fmt::print("-- {}\n", each.name);
      const auto sold = SellOut(arguments, each.endpoints);
      if (!sold.good) return 1;
      each.rounds.push_back(sold);
    }
  }
  // Compares sales of one round: the machine may be slower in another.
  const auto more = [&](const Case& each, double Sold::* figure) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < each.rounds.size(); ++i)
      ratios.push_back(each.rounds[i].*figure / (cases[0].rounds[i].*figure));
    std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                     ratios.end());
    return 100 * (ratios[ratios.size() / 2] - 1);
  };
  for (const auto& each : cases) {
    fmt::print("{} x {}: {:+.1f} % of time, {:+.1f} % of CPU against none (medians of {} rounds)\n",
               each.endpoints.size(), each.name, more(each, &Sold::seconds), more(each, &Sold::cpu_seconds),
               rounds);
  }
  return 0;
}

int Main(const Flags& flags) {
  Arguments arguments{flags.Count<std::uint64_t>("seats", 160'000, 200),
                      flags.Count<std::uint64_t>("dates", 2, 2), flags.Count("connections", 256, 16)};
  arguments.seats -= arguments.seats % arguments.dates;
  const auto webhooks = flags.Count<std::size_t>("webhooks", 0, 0);
  if (webhooks > 0) return CompareWebhooks(flags, arguments, webhooks);
  return SellOut(arguments, {}).good ? 0 : 1;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) { return maejin::bench::RunBenchmark(argc, argv, maejin::bench::Main); }
