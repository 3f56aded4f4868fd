// Loads the server's certificate again when its files change.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "base/metrics.h"
#include "base/ticker.h"
#include "server/server.h"

namespace maejin::app {

class WatchedCertificate {
 public:
  // Loads the files and watches them. Server and metrics outlive it. The error is a sentence for the
  // operator.
  Result<Done, std::string> Open(http::Server& server, http::TlsFiles files, Metrics& metrics);
  // Loads the files now. Does nothing before Open().
  Result<Done, std::string> Reload();
  // Stops watching the files.
  void Close() { ticker_.reset(); }

 private:
  using Times = std::pair<std::filesystem::file_time_type, std::filesystem::file_time_type>;
  Times TimesOf() const;
  void Tick();

  http::Server* server_ = nullptr;  // null: no TLS
  http::TlsFiles files_;
  Times seen_;  // ticker thread only, after Open()
  std::optional<Ticker> ticker_;
};

}  // namespace maejin::app
