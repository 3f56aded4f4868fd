// Looks at a running server: a few cheap questions over one connection.
#pragma once

#include <string>

#include "base/clock.h"
#include "cli/common/http_client.h"
#include "cli/top/top_reading.h"
#include "config/config.h"

namespace maejin::cli {

// Not thread-safe.
class TopSource {
 public:
  // The admin key is read from `config`; without one less is seen, and the readings' notes say what.
  TopSource(std::string url, const config::Config& config);

  // The error is a sentence: no answer, or not the answer of a maejin.
  Result<TopReading, std::string> Read();

 private:
  Result<HttpAnswer, std::string> Ask(const std::string& target);
  std::string Public(TopReading& reading);
  std::string Concerts(TopReading& reading);
  void ForOperators(TopReading& reading);
  void System(TopReading& reading);

  std::string url_;
  HttpClient client_;
  SystemClock clock_;
  std::string no_key_;                // why the admin's questions are not asked; empty: they are
  std::optional<SeenServer> server_;  // asked once per start of the server
  double accepted_ = 0;               // connections when it was last looked at: fewer, and it started anew
};

}  // namespace maejin::cli
