// A sell-out on three nodes with MariaDB: every seat is held and paid over HTTP behind nginx. The baseline is
// a client loop with the fewest correct statements per customer on the same tables. Goal: 0.7 of the loop,
// with nodes, nginx, database and load generator on the same cores. Nodes may be faster, because customers
// share transactions.
//   mysql_bench [--small] [--seats N] [--connections N]
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/mysql/connection.h"
#include "base/random.h"
#include "benchmarks/http_driver.h"
#include "benchmarks/journeys.h"
#include "benchmarks/rounds.h"

namespace maejin::bench {
namespace {

struct Arguments {
  std::int64_t seats;
  int connections;
};

Arguments Read(const Flags& flags) {
  return {flags.Count<std::int64_t>("seats", 20'000, 200), flags.Count("connections", 48, 8)};
}

// Runs deploy/cluster.py; the destructor stops it.
class ClusterProcess {
 public:
  ClusterProcess() {
    // `./dev` runs benchmarks in the root of the repository.
    const std::filesystem::path script = "deploy/cluster.py";
    if (!std::filesystem::exists(script)) throw std::runtime_error("run this as ./dev bench mysql");
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      dup2(ends[1], 1);
      execl("/usr/bin/python3", "python3", script.c_str(), "--json", "--one-redis", "--port", "0", nullptr);
      _exit(127);
    }
    close(ends[1]);
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) told_ += c;
    close(ends[0]);
    if (told_.empty()) throw std::runtime_error("the cluster does not start");
  }
  ~ClusterProcess() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  ClusterProcess(const ClusterProcess&) = delete;
  ClusterProcess& operator=(const ClusterProcess&) = delete;

  std::string address() const { return Text("url").substr(7); }
  std::string Admin() const { return fmt::format("Authorization: Bearer {}\r\n", Text("adminKey")); }
  mysql::ServerOptions Database() const { return mysql::ParseUrl(Text("database")).value().server; }

 private:
  // The first field of this name in the output of cluster.py.
  std::string Text(const std::string& name) const {
    const auto key = "\"" + name + "\": \"";
    const auto from = told_.find(key) + key.size();
    return told_.substr(from, told_.find('"', from) - from);
  }

  std::string told_;
  pid_t pid_ = 0;
};

struct OnSale {
  std::string concert;
  std::string schedule;
};

OnSale OpenSale(const ClusterProcess& cluster, std::int64_t seats) {
  const auto created =
      Ask(cluster.address(),
          PostText("/api/v1/concerts", cluster.Admin(),
                   fmt::format(R"({{"title":"T","artist":"A","venue":"V","price":1000,"room":"none",)"
                               R"("maxSeatsPerUser":0,"cooldownSeconds":0,)"
                               R"("schedules":[{{"concertDate":"2036-05-01","seats":{}}}]}})",
                               seats)));
  OnSale sale{std::string(FieldOf(created, "id")), {}};
  sale.schedule = FieldOf(std::string_view(created).substr(created.find("\"schedules\":")), "id");
  Ask(cluster.address(),
      PostText(fmt::format("/api/v1/concerts/{}/open", sale.concert), cluster.Admin(), "{}"));
  std::this_thread::sleep_for(std::chrono::seconds{2});  // until every node knows the concert
  return sale;
}

std::int64_t Number(mysql::Connection& connection, const std::string& sql) {
  auto row = connection.Query(sql);
  return row.Next() ? row.Int(0) : 0;
}

struct Sent {
  std::int64_t statements = 0;
  std::int64_t commits = 0;
};

// Statements received by the database since its start.
Sent SentSoFar(mysql::Connection& connection) {
  const auto status = [&](const char* name) {
    return Number(
        connection,
        fmt::format("SELECT CAST(VARIABLE_VALUE AS UNSIGNED) FROM information_schema.GLOBAL_STATUS WHERE "
                    "VARIABLE_NAME = '{}'",
                    name));
  };
  return {status("QUESTIONS"), status("COM_COMMIT")};
}

double SellThroughNodes(const ClusterProcess& cluster, const OnSale& sale, const Arguments& arguments) {
  std::vector<std::string> reservations(static_cast<std::size_t>(arguments.seats));
  JourneyOptions load;
  load.address = cluster.address();
  load.connections = arguments.connections;
  load.journeys = reservations.size();
  load.steps = 2;
  load.request = [&](std::uint64_t seat, int step) {
    const auto user = fmt::format("X-User-Id: fan-{}\r\n", seat);
    if (step == 0) {
      return PostText("/api/v1/reservations", user,
                      fmt::format(R"({{"scheduleId":{},"seats":[{}]}})", sale.schedule, seat + 1));
    }
    return PostText(fmt::format("/api/v1/reservations/{}/payment", reservations[seat]), user,
                    R"({"amount":1000})");
  };
  load.answered = [&](std::uint64_t seat, int step, const JourneyAnswer& answer) {
    if (step == 0) reservations[seat] = FieldOf(answer.body, "reservationId");
    if (answer.status >= 400) fmt::print("{}\n", answer.body);
    return answer.status == (step == 0 ? 201 : 200);
  };
  const auto report = Walk(load);
  if (report.broken > 0) throw std::runtime_error(fmt::format("{} fans failed", report.broken));
  for (int step = 0; step < 2; ++step) {
    const auto& latency = report.steps[static_cast<std::size_t>(step)];
    fmt::print("  {:8} p50 {:.1f} ms, p99 {:.1f} ms\n", step == 0 ? "hold" : "payment", latency.p50_us / 1000,
               latency.p99_us / 1000);
  }
  return report.seconds;
}

// Holds and pays one seat with nine statements, all of which are necessary. Has no outbox, no ordered paidAt
// and no detection of the sell-out.
void SellPlainly(mysql::Connection& connection, Random& random, std::int64_t schedule, std::int64_t seat) {
  const auto id = Id128::Random(random);
  const auto shard = (seat - 1) / 512;
  connection.Execute(
      "INSERT INTO reservations (id, concert_id, schedule_id, user_id, seats, seat_count, amount, status, "
      "held_at, expires_at, "
      "due_at) SELECT ?, concert_id, id, ?, ?, 1, 1000, 'HELD', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + "
      "INTERVAL 300 SECOND, "
      "UTC_TIMESTAMP(3) + INTERVAL 300 SECOND FROM schedules WHERE id = ?",
      id, "fan-" + std::to_string(seat), fmt::format("[{}]", seat), schedule);
  const auto number = connection.LastInsertId();
  connection.Execute(
      "UPDATE seats SET state = 'HELD', reservation_number = ? WHERE schedule_id = ? AND number = ? AND "
      "state = 'AVAILABLE'",
      number, schedule, seat);
  connection.Execute(
      "UPDATE seat_counts SET available = available - 1, held = held + 1 WHERE schedule_id = ? AND shard = ?",
      schedule, shard);
  connection.Command("COMMIT");
  connection.Execute(
      "UPDATE reservations SET status = 'CONFIRMED', paid_at = UTC_TIMESTAMP(3), due_at = NULL WHERE number "
      "= ? AND status = "
      "'HELD' AND expires_at > UTC_TIMESTAMP(3)",
      number);
  connection.Execute(
      "UPDATE seats SET state = 'ASSIGNED' WHERE schedule_id = ? AND number = ? AND state = 'HELD' AND "
      "reservation_number = ?",
      schedule, seat, number);
  connection.Execute(
      "INSERT INTO payments (id, reservation_number, amount, status, provider, method, created_at, hold_ver, "
      "captured_for) "
      "VALUES (?, ?, 1000, 'CAPTURED', 'instant', '', UTC_TIMESTAMP(3), 1, ?)",
      Id128::Random(random), number, number);
  connection.Execute(
      "UPDATE seat_counts SET held = held - 1, assigned = assigned + 1 WHERE schedule_id = ? AND shard = ?",
      schedule, shard);
  connection.Command("COMMIT");
}

// Retries conflicts, as the nodes do.
void SellPlainlyAtLast(mysql::Connection& connection, Random& random, std::int64_t schedule,
                       std::int64_t seat) {
  for (;;) {
    try {
      return SellPlainly(connection, random, schedule, seat);
    } catch (const mysql::MysqlError& error) {
      if (!error.IsConflict()) throw;
      connection.Command("ROLLBACK");
    }
  }
}

double SellWithoutNodes(const mysql::ServerOptions& server, std::int64_t schedule,
                        const Arguments& arguments) {
  std::atomic<std::int64_t> next{1};
  std::vector<std::thread> clients;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < arguments.connections; ++i) {
    clients.emplace_back([&] {
      SystemRandom random;
      mysql::Connection connection(server);
      connection.Command("SET SESSION autocommit = 0");
      for (auto seat = next++; seat <= arguments.seats; seat = next++)
        SellPlainlyAtLast(connection, random, schedule, seat);
    });
  }
  for (auto& client : clients) client.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool Audit(mysql::Connection& connection, const std::string& schedule, std::int64_t seats) {
  return Number(
             connection,
             fmt::format("SELECT COUNT(DISTINCT reservation_number) FROM seats WHERE state = 'ASSIGNED' AND "
                         "schedule_id = {}",
                         schedule)) == seats;
}

int Main(const Flags& flags) {
  const auto arguments = Read(flags);
  const ClusterProcess cluster;
  mysql::Connection connection(cluster.Database());
  const auto seats = static_cast<double>(arguments.seats);

  const auto sale = OpenSale(cluster, arguments.seats);
  const auto before = SentSoFar(connection);
  const auto through_nodes = SellThroughNodes(cluster, sale, arguments);
  const auto after = SentSoFar(connection);
  fmt::print(
      "three nodes:  {} seats in {:.2f} s: {:.0f} seats/s; {:.1f} statements and round trips, {:.1f} commits "
      "a seat\n",
      arguments.seats, through_nodes, seats / through_nodes,
      static_cast<double>(after.statements - before.statements) / seats,
      static_cast<double>(after.commits - before.commits) / seats);

  const auto plain = OpenSale(cluster, arguments.seats);
  const auto loop = SellWithoutNodes(cluster.Database(), std::stoll(plain.schedule), arguments);
  fmt::print(
      "plain loop:   {} seats in {:.2f} s: {:.0f} seats/s; 9 statements and round trips, 2 commits a seat\n",
      arguments.seats, loop, seats / loop);
  fmt::print("ratio: {:.2f} (goal: 0.7)\n", loop / through_nodes);
  const bool good =
      Audit(connection, sale.schedule, arguments.seats) && Audit(connection, plain.schedule, arguments.seats);
  fmt::print("{}\n", good ? "every seat was sold exactly once" : "THE AUDIT FAILED");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace maejin::bench

int main(int argc, char** argv) { return maejin::bench::RunBenchmark(argc, argv, maejin::bench::Main); }
