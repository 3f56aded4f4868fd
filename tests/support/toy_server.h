// A server with toy routes for the tests of src/http (its routes: toy_server.cpp).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/server.h"
#include "tests/support/raw_client.h"

namespace maejin::http {

class ToyServer {
 public:
  // `around_effects`: wraps the handler of POST /effects.
  explicit ToyServer(ServerOptions options = {}, const std::function<Handler(Handler)>& around_effects = {});
  ~ToyServer();

  ::maejin::testing::RawClient Connect(int timeout_ms = 60'000) const {
    return ::maejin::testing::RawClient(address_, timeout_ms);
  }
  // One request on its own connection.
  ::maejin::testing::RawResponse Ask(const std::string& request) const;
  const std::string& address() const { return address_; }
  Server& server() { return *server_; }
  Metrics& metrics() { return metrics_; }

  // Answers the waiting requests of /wait.
  void Release();
  int waiting() const;
  // The streams of /stream.
  std::vector<std::shared_ptr<EventStream>> Streams();
  // Withdraws the text of /withdrawable and of /stream?large=1.
  void Withdraw() { withdrawn_ = true; }
  int effects() const { return effects_; }

 private:
  void AddRoutes();
  void AddSlowRoutes();
  void AddExhaustingRoutes();
  void AddEffects(const std::function<Handler(Handler)>& around);

  Metrics metrics_;
  Router router_;
  std::unique_ptr<Server> server_;
  std::string address_;
  std::atomic<int> effects_{0};
  std::atomic<bool> withdrawn_{false};
  mutable std::mutex mutex_;
  std::vector<std::function<void()>> waiting_;         // guarded by mutex_
  std::vector<std::shared_ptr<EventStream>> streams_;  // guarded by mutex_
};

}  // namespace maejin::http
