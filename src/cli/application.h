// The whole program, put together: stores, use cases, routes, server, ticker. The only place that knows all
// parts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"

namespace maejin::cli {

struct ApplicationOptions {
  // Where to listen; port 0 takes a free one.
  std::string listen = "127.0.0.1:8080";
  std::filesystem::path data = "maejin-data";
  // Signing keys; empty: `keys` in the data folder.
  std::filesystem::path keys = {};
  // The admin key's file; empty: `admin.key` in the data folder.
  std::filesystem::path admin_key_file = {};
  // Days, weeks and months of the rankings are of this zone.
  std::string timezone = "Asia/Seoul";
};

class Application {
 public:
  // Loads the data folder and accepts connections when it returns. The error is a sentence for the operator.
  static Result<std::unique_ptr<Application>, std::string> Start(ApplicationOptions options);
  virtual ~Application() = default;

  // "http://127.0.0.1:8080", with the port that was taken.
  virtual std::string url() const = 0;
  // Refuses new work, lets what runs finish, and returns when it has; the destructor then stops for good.
  virtual void Drain() = 0;
};

}  // namespace maejin::cli
