// The composition root: builds stores, use cases, routes, server and tickers. Only application.cpp knows all
// of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/embedded/data_folder.h"
#include "base/result.h"
#include "base/time.h"
#include "config/config.h"
#include "server/router.h"

namespace maejin::app {

class Application {
 public:
  struct Options {
    embedded::Missing missing = embedded::Missing::kCreate;
    // A listening socket of a service manager, bound to `config.listen`. Absent: the server opens its own.
    std::optional<int> socket;
  };
  // Loads the data folder and listens. When Start() returns, the server accepts connections. The error is a
  // sentence for the operator.
  static Result<std::unique_ptr<Application>, std::string> Start(const config::Config& config,
                                                                 Options options);
  static Result<std::unique_ptr<Application>, std::string> Start(const config::Config& config) {
    return Start(config, Options());
  }
  virtual ~Application() = default;

  // "http://127.0.0.1:8080", with the port that was bound.
  virtual std::string url() const = 0;
  virtual const http::Router& router() const = 0;
  // The names of the settings that differ from those in force.
  struct ReloadReport {
    std::vector<std::string> changed;       // now in force
    std::vector<std::string> need_restart;  // not in force before the next start
  };
  // Takes over the settings that a running server can change: log level and format, limits, proxies, origins.
  // Also loads the certificate and opens the access log again. The error is a sentence for the operator; then
  // no setting changes.
  virtual Result<ReloadReport, std::string> Reload(const config::Config& config) = 0;
  // Whether every event loop ran a task within the limit. Call only before Drain().
  virtual bool Responds(Millis limit) = 0;
  // Refuses new requests and returns when the running ones have finished. The destructor then stops all
  // threads.
  virtual void Drain() = 0;
};

}  // namespace maejin::app
