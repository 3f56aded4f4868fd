// The servers on which the contracts of stores in Redis run: one server and one cluster of each installed
// program that speaks the Redis protocol. The first test that needs one starts it; all tests of a program
// share it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/redis_server.h"

namespace maejin::test {

struct RedisPlace {
  std::string name;                    // "OneServer", "ValkeyCluster"
  std::function<std::string()> Empty;  // empties it, and says its URL
};

inline bool IsOnPath(const std::string& binary) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (std::filesystem::exists(folder + "/" + binary)) return true;
  }
  return false;
}

inline std::vector<RedisPlace> RedisPlaces() {
  struct Program {
    std::string prefix;
    std::string binary;
    bool is_needed;
  };
  std::vector<RedisPlace> places;
  for (const auto& [prefix, binary, is_needed] :
       {Program{"", RedisBinary(), true}, Program{"Valkey", "valkey-server", false}}) {
    if (!is_needed && !IsOnPath(binary)) continue;
    auto server = std::make_shared<std::unique_ptr<RedisServer>>();
    places.push_back({prefix + "OneServer", [server, program = binary] {
                        if (!*server)
                          *server = std::make_unique<RedisServer>(std::vector<std::string>{}, program);
                        (*server)->Cli("FLUSHALL");
                        return (*server)->Url();
                      }});
    auto cluster = std::make_shared<std::unique_ptr<RedisCluster>>();
    places.push_back({prefix + "Cluster", [cluster, program = binary] {
                        if (!*cluster) *cluster = std::make_unique<RedisCluster>(program);
                        for (std::size_t i = 0; i < 3; ++i) (*cluster)->node(i).Cli("FLUSHALL");
                        return (*cluster)->Url();
                      }});
  }
  return places;
}

}  // namespace maejin::test
