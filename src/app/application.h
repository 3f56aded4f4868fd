// The whole program, put together: stores, use cases, routes, server, ticker. The only place that knows all
// parts.
#pragma once

#include <memory>
#include <string>

#include "adapters/embedded/data_folder.h"
#include "base/result.h"
#include "config/config.h"
#include "server/router.h"

namespace maejin::app {

class Application {
 public:
  // Loads the data folder and accepts connections when it returns. The error is a sentence for the operator.
  static Result<std::unique_ptr<Application>, std::string> Start(
      const config::Config& config, embedded::Missing missing = embedded::Missing::kCreate);
  virtual ~Application() = default;

  // "http://127.0.0.1:8080", with the port that was taken.
  virtual std::string url() const = 0;
  // The table of routes it answers.
  virtual const http::Router& router() const = 0;
  // Refuses new work, lets what runs finish, and returns when it has; the destructor then stops for good.
  virtual void Drain() = 0;
};

}  // namespace maejin::app
