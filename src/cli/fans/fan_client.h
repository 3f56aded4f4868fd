// The connections of simulated fans to the server: HTTP/1.1, kept alive, as a coroutine. Beast stays behind this
// header. Used on one io_context.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/task.h"
#include "config/address.h"

namespace maejin::cli {

struct FanRequest {
  std::string_view method = "GET";
  std::string target;
  std::string body;           // JSON, or empty
  std::string queue_token;    // sent as X-Queue-Token where it is not empty
  std::string user;           // sent as X-User-Id where it is not empty
  std::string authorization;  // sent as Authorization where it is not empty
};

struct FanAnswer {
  using Moment = std::chrono::steady_clock::time_point;

  int status = 0;  // 0: the connection broke, or the answer took too long
  boost::json::value body;
  Moment sent{};  // when a connection was free: that all were in use is no fault of the server
  Moment answered{};

  // The member of the answer's object, or the fallback where it is absent or of another type.
  std::string Text(std::string_view name) const;
  std::int64_t Number(std::string_view name, std::int64_t fallback) const;
  bool Flag(std::string_view name) const;
  // Whether the request was carried out is not known: no answer, or one that blames the server.
  bool Unknown() const { return status == 0 || status >= 500; }
};

class FanClient {
 public:
  // At most so many connections are open at once; whoever finds all of them in use waits for one.
  FanClient(Executor executor, config::Address server, std::size_t connections);
  ~FanClient();

  // Several at once, one a fan. The client outlives them.
  Task<FanAnswer> Call(FanRequest request);

 private:
  class Connection;
  class Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace maejin::cli
