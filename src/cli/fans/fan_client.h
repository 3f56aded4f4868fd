// Pooled HTTP/1.1 connections of simulated fans, as coroutines. Used on one io_context.
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
  std::string queue_token;    // sent as X-Queue-Token unless empty
  std::string user;           // sent as X-User-Id unless empty
  std::string authorization;  // sent as Authorization unless empty
};

struct FanAnswer {
  using Moment = std::chrono::steady_clock::time_point;

  int status = 0;  // 0: connection lost or timeout
  boost::json::value body;
  Moment sent{};  // excludes the wait for a free connection
  Moment answered{};

  // A field of the body. Absent or of another type: the fallback, "" or false.
  std::string Text(std::string_view name) const;
  std::int64_t Number(std::string_view name, std::int64_t fallback) const;
  bool Flag(std::string_view name) const;
  // It is unknown whether the request took effect: no answer, or a 5xx.
  bool Unknown() const { return status == 0 || status >= 500; }
};

class FanClient {
 public:
  // Opens at most `connections`; a call waits while all are in use.
  FanClient(Executor executor, config::Address server, std::size_t connections);
  ~FanClient();

  // May be called concurrently by coroutines. The client outlives the calls.
  Task<FanAnswer> Call(FanRequest request);

 private:
  class Connection;
  class Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace maejin::cli
