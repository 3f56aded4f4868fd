// Redis servers for tests: a single one, a primary with a replica and three sentinels, a cluster of three
// primaries. Each is in memory on free ports and stopped by pid. MAEJIN_REDIS_SERVER replaces the program
// redis-server.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/free_port.h"
#include "tests/support/process.h"

namespace maejin::test {

// Added to every URL: tolerates a machine that is busy for seconds. Tests of timeouts set their own.
inline constexpr char kPatient[] = "?timeout_ms=60000";

inline std::string RedisBinary() {
  const char* named = std::getenv("MAEJIN_REDIS_SERVER");
  return named == nullptr ? "redis-server" : named;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "maejin-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class RedisServer {
 public:
  // `options` as on redis-server's command line: {"--appendonly", "yes"}.
  explicit RedisServer(std::vector<std::string> options = {}, std::string binary = RedisBinary())
      : binary_(std::move(binary)), options_(std::move(options)), port_(FreePort()) {
    Start();
  }

  std::uint16_t port() const { return port_; }
  std::string Url() const { return "redis://127.0.0.1:" + std::to_string(port_) + kPatient; }
  const std::string& folder() const { return folder_.path(); }

  void Kill() { process_.reset(); }
  void Pause() const { process_->Pause(); }
  void Resume() const { process_->Resume(); }
  // Starts again on the same port. Its data is back only if the options persist it.
  void Start() {
    std::vector<std::string> words = {
        binary_, "--port", std::to_string(port_), "--bind",     "127.0.0.1", "--save",
        "",      "--dir",  folder_.path(),        "--loglevel", "notice"};
    words.insert(words.end(), options_.begin(), options_.end());
    process_ = std::make_unique<Process>(words, "Ready to accept connections");
  }
  void Restart() {
    Kill();
    Start();
  }

  // The output of redis-cli.
  std::string Cli(const std::string& words) const {
    return Output("redis-cli -p " + std::to_string(port_) + " " + words);
  }
  // How often the server executed a command since CONFIG RESETSTAT.
  int Calls(const std::string& command) const {
    const auto asked = Cli("INFO commandstats");
    const auto name = "cmdstat_" + command + ":calls=";
    const auto at = asked.find(name);
    return at == std::string::npos ? 0 : std::stoi(asked.substr(at + name.size()));
  }

 private:
  TemporaryFolder folder_;
  const std::string binary_;
  std::vector<std::string> options_;
  std::uint16_t port_;
  std::unique_ptr<Process> process_;
};

// Repeats until the answer contains `wanted`. Sentinels that were stopped for two seconds pause for half a
// minute.
inline void AwaitCli(std::uint16_t port, const std::string& words, const std::string& wanted) {
  std::string answer;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (std::chrono::steady_clock::now() < deadline) {
    answer = Output("redis-cli -p " + std::to_string(port) + " " + words + " 2>&1 || true");
    if (answer.find(wanted) != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  throw std::runtime_error("redis-cli " + words + " never said " + wanted + ", but " + answer);
}

// A primary "mymaster", a replica, and three sentinels that fail over after three seconds, so that a busy
// second is no failover.
class SentinelTrio {
 public:
  SentinelTrio()
      : primary_({"--repl-diskless-sync-delay", "0"}),
        replica_({"--replicaof", "127.0.0.1 " + std::to_string(primary_.port()), "--repl-diskless-sync-delay",
                  "0", "--repl-ping-replica-period", "1"}) {
    AwaitCli(primary_.port(), "INFO replication", "connected_slaves:1");
    for (int i = 0; i < 3; ++i) StartSentinel(i);
    for (const auto port : ports_) AwaitCli(port, "SENTINEL CKQUORUM mymaster", "OK 3 usable");
    for (const auto port : ports_) AwaitCli(port, "SENTINEL replicas mymaster", "slave");
  }

  std::string Url() const {
    std::string url = "redis+sentinel://";
    for (const auto port : ports_)
      url += (url.ends_with('/') ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(port);
    return url + "/mymaster" + kPatient;
  }
  RedisServer& primary() { return primary_; }
  RedisServer& replica() { return replica_; }
  std::uint16_t sentinel_port() const { return ports_.front(); }
  // A planned failover: the replica becomes the primary.
  void FailOver() const { AwaitCli(ports_.front(), "SENTINEL FAILOVER mymaster", "OK"); }
  void AwaitNewPrimary() { AwaitCli(replica_.port(), "ROLE", "master"); }

 private:
  void StartSentinel(int index) {
    const auto port = FreePort();
    const auto file = folder_.File("sentinel" + std::to_string(index) + ".conf");
    std::ofstream(file) << "port " << port << "\nbind 127.0.0.1\ndir " << folder_.path()
                        << "\nsentinel monitor mymaster 127.0.0.1 " << primary_.port() << " 2\n"
                        << "sentinel down-after-milliseconds mymaster 3000\n"
                        << "sentinel failover-timeout mymaster 10000\n";
    ports_.push_back(port);
    sentinels_.push_back(std::make_unique<Process>(
        std::vector<std::string>{RedisBinary(), file, "--sentinel"}, "+monitor master"));
  }

  TemporaryFolder folder_;
  RedisServer primary_;
  RedisServer replica_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::unique_ptr<Process>> sentinels_;
};

// Three primaries with a third of the hash slots each.
class RedisCluster {
 public:
  explicit RedisCluster(const std::string& binary = RedisBinary()) {
    for (int i = 0; i < 3; ++i) {
      bus_ports_.push_back(FreePort());
      nodes_.push_back(std::make_unique<RedisServer>(
          std::vector<std::string>{"--cluster-enabled", "yes", "--cluster-node-timeout", "15000",
                                   "--cluster-port", std::to_string(bus_ports_.back())},
          binary));
    }
    const char* ranges[] = {"0 5460", "5461 10922", "10923 16383"};
    for (std::size_t i = 0; i < 3; ++i) {
      nodes_[i]->Cli("CLUSTER SET-CONFIG-EPOCH " + std::to_string(i + 1));
      nodes_[i]->Cli(std::string("CLUSTER ADDSLOTSRANGE ") + ranges[i]);
      nodes_[0]->Cli("CLUSTER MEET 127.0.0.1 " + std::to_string(nodes_[i]->port()) + " " +
                     std::to_string(bus_ports_[i]));
    }
    for (const auto& node : nodes_) AwaitCli(node->port(), "CLUSTER INFO", "cluster_state:ok");
    for (const auto& node : nodes_) AwaitCli(node->port(), "CLUSTER INFO", "cluster_known_nodes:3");
    for (const auto& node : nodes_) AwaitCli(node->port(), "CLUSTER INFO", "cluster_slots_ok:16384");
  }

  std::string Url() const {
    return "redis+cluster://127.0.0.1:" + std::to_string(nodes_[0]->port()) + kPatient;
  }
  RedisServer& node(std::size_t index) { return *nodes_[index]; }
  std::string IdOf(std::size_t index) const {
    auto id = nodes_[index]->Cli("CLUSTER MYID");
    while (!id.empty() && id.back() == '\n') id.pop_back();
    return id;
  }
  // The output of redis-cli -c, which follows redirections.
  std::string Cli(const std::string& words) const { return nodes_[0]->Cli("-c " + words); }

 private:
  std::vector<std::uint16_t> bus_ports_;
  std::vector<std::unique_ptr<RedisServer>> nodes_;
};

}  // namespace maejin::test
