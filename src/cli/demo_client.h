// One simulated fan's connection to the server: HTTP/1.1, kept alive, as a coroutine. Beast stays behind this
// header. Used on one io_context, by one fan at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/task.h"
#include "cli/address.h"

namespace maejin::cli {

struct DemoRequest {
  std::string_view method = "GET";
  std::string target;
  std::string body;         // JSON, or empty
  std::string queue_token;  // sent as X-Queue-Token where it is not empty
  std::string user;         // sent as X-User-Id where it is not empty
};

struct DemoAnswer {
  int status = 0;  // 0: the connection broke
  boost::json::value body;

  // The member of the answer's object, or the fallback where it is absent or of another type.
  std::string Text(std::string_view name) const;
  std::int64_t Number(std::string_view name, std::int64_t fallback) const;
  bool Flag(std::string_view name) const;
};

class DemoClient {
 public:
  DemoClient(Executor executor, Address server);
  ~DemoClient();

  Task<DemoAnswer> Call(DemoRequest request);

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace maejin::cli
