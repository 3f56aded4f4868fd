// A node that starts during an outage of the database waits for it instead of exiting. After a power failure
// all machines start at once, and a supervisor may stop restarting a node that exits several times.
#pragma once

#include <memory>
#include <string>

#include "adapters/mysql/url.h"
#include "base/result.h"
#include "config/config.h"

namespace maejin::app {

// False: the database takes no connections now. An error that waiting does not solve (a wrong password)
// counts as an answer: the start reports it.
bool DatabaseAnswers(const mysql::ServerOptions& server);

// The server during that wait: 200 from /healthz, 503 from all other routes.
class WaitingServer {
 public:
  // Listens until it is destroyed. The error is a sentence for the operator.
  static Result<std::unique_ptr<WaitingServer>, std::string> Start(const config::Config& config);
  virtual ~WaitingServer() = default;
};

}  // namespace maejin::app
