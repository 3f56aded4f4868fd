// A node that starts during an outage of the database waits for it instead of exiting. After a power failure
// all machines start at once, and a supervisor may stop restarting a node that exits several times.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/mysql/url.h"
#include "base/result.h"
#include "config/config.h"

namespace maejin::app {

// Why the database accepts no connections now. Absent: it does, or the error is one that waiting does not
// solve, such as a wrong password; Application::Start() then reports it.
std::optional<std::string> DatabaseOutage(const mysql::ServerOptions& server);

// The server of a node that waits for its database: /healthz answers 200, other routes answer 503.
class WaitingServer {
 public:
  // Listens until it is destroyed. The error is a sentence for the operator.
  static Result<std::unique_ptr<WaitingServer>, std::string> Start(const config::Config& config);
  virtual ~WaitingServer() = default;
};

}  // namespace maejin::app
