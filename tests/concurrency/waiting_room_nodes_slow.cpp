// The fans of waiting_room_crowd_slow.cpp on three nodes with one Redis and one MariaDB: each request goes to
// a random node, and the same checker reads the merged history. Control: nodes without shared state.
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "tests/concurrency/line_crowd.h"
#include "tests/program.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/redis_server.h"
#include "tests/support/server_process.h"

namespace maejin::testing {
namespace {

constexpr std::size_t kNodes = 3;

enum class Share { kAll, kNothing };

// Three nodes on one Redis and one database, or each with its own Redis and data folder.
class Nodes {
 public:
  explicit Nodes(Share share) : redis_(share == Share::kAll ? 1 : kNodes) {
    if (share == Share::kAll) {
      // The database does not crash here.
      database_.emplace(std::vector<std::string>{"--innodb-flush-log-at-trx-commit=0"});
      database_->CreateDatabase();
    }
    std::ofstream(KeyFile()) << "a key of thirty-two letters or more\n";
    std::filesystem::permissions(KeyFile(), std::filesystem::perms::owner_read);
    for (std::size_t i = 0; i < kNodes; ++i) {
      std::vector<std::string> flags{"--redis", redis_[i % redis_.size()].Url(), "--admin-key-file",
                                     KeyFile()};
      if (database_) flags.insert(flags.end(), {"--mysql", database_->Url()});
      nodes_.push_back(
          std::make_unique<ServerProcess>(MAEJIN_BINARY, folder_.path() / std::to_string(i), flags));
    }
  }
  std::vector<std::string> Addresses() const {
    std::vector<std::string> addresses;
    for (const auto& node : nodes_) addresses.push_back(node->address());
    return addresses;
  }
  std::string KeyFile() const { return (folder_.path() / "admin.key").string(); }

 private:
  const ScratchFolder folder_{"nodes"};
  std::optional<testing_support::MariaDbServer> database_;
  std::vector<test::RedisServer> redis_;
  std::vector<std::unique_ptr<ServerProcess>> nodes_;
};

TEST(ThreeNodes, AdmitTwentyThousandFansInOrderWithinCapacity) {
  const Nodes nodes(Share::kAll);
  CrowdOptions options;
  options.threads = 48;
  OpenRoom(nodes.Addresses().front(), KeyIn(nodes.KeyFile()), options);
  Crowd crowd(nodes.Addresses(), options);
  crowd.Run();
  ExpectNoViolations(crowd);
  ExpectAlteredHistoriesFail(crowd);
}

TEST(ThreeNodes, ControlNodesWithoutSharedStateFailTheAudit) {
  const Nodes nodes(Share::kNothing);
  CrowdOptions options;
  options.fans = 200;
  options.capacity = 20;
  options.threads = 4;
  std::vector<std::unique_ptr<Crowd>> crowds;
  std::vector<std::thread> running;
  for (const auto& address : nodes.Addresses()) OpenRoom(address, KeyIn(nodes.KeyFile()), options);
  for (const auto& address : nodes.Addresses()) {
    crowds.push_back(std::make_unique<Crowd>(std::vector{address}, options));
    running.emplace_back([&crowd = *crowds.back()] { crowd.Run(); });
    // Fans of the next node join later and get number 1 again.
    while (crowds.back()->joined() < options.capacity) std::this_thread::yield();
  }
  for (auto& crowd : running) crowd.join();
  std::vector<FanHistory> merged;
  for (const auto& crowd : crowds) {
    auto history = crowd->Histories();
    EXPECT_LE(CheckLine(history).most_inside, options.capacity) << "each node respects its own capacity";
    merged.insert(merged.end(), history.begin(), history.end());
  }
  const auto verdict = CheckLine(std::move(merged));
  EXPECT_GT(verdict.duplicate_numbers, 0);
  EXPECT_GT(verdict.join_order_violations, 0);
  EXPECT_GT(verdict.most_inside, options.capacity);
}

}  // namespace
}  // namespace maejin::testing
