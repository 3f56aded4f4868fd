// Takes readings of a running server: a few cheap requests over one connection.
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
  // Reads the admin key of `config`. Without it a reading has less data, and its notes say what is missing.
  TopSource(std::string url, const config::Config& config);

  // The error is a sentence: no answer, or not a maejin server.
  Result<TopReading, std::string> Read();

 private:
  Result<HttpAnswer, std::string> Ask(const std::string& target);
  std::string ReadPublic(TopReading& reading);
  std::string ReadAllConcerts(TopReading& reading);
  void ReadAdmin(TopReading& reading);
  void ReadServer(TopReading& reading);

  std::string url_;
  HttpClient client_;
  SystemClock clock_;
  std::string no_key_;                   // why there are no admin requests; empty: there are
  std::optional<ServerReading> server_;  // read once per start of the server
  double accepted_ = 0;  // accepted connections at the last reading; a lower number means a restart
};

}  // namespace maejin::cli
