// A keep-alive HTTP/1.1 client for one server, on a thread of its own: many tasks of other threads ask
// through a bounded number of connections and give their own threads back meanwhile. Beast stays behind this
// header. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "base/time.h"

namespace maejin::payment {

struct HttpPoolOptions {
  std::string host;  // an IP address; with TLS also a name
  std::uint16_t port = 0;
  // HTTPS. The server's certificate must be valid for `host` and signed by a known authority.
  bool tls = false;
  // A PEM file of the authorities that may sign it. Empty: those that the system trusts.
  std::string tls_ca_file = {};
  std::size_t connections = 32;
  // Calls that wait for a connection; more are not taken.
  std::size_t waiting = 1024;
  // For a whole call: waiting, connecting, sending, and the whole answer.
  Millis deadline{10'000};
};

struct HttpAsk {
  std::string method = "GET";
  std::string target;
  std::string body = {};  // JSON, or empty
  std::vector<std::pair<std::string, std::string>> headers = {};
  // An answer without this text answers something else: the connection is out of step, and is given up.
  std::string expected = {};
};

struct HttpReply {
  enum class Fate : std::uint8_t {
    kAnswered,
    kUnknown,     // sent, but not answered in time or in words: it may have happened
    kNotReached,  // nothing was sent
  };
  Fate fate = Fate::kUnknown;
  int status = 0;
  std::string body;
};

class HttpPool {
 public:
  // Throws std::runtime_error with a sentence for the operator: `tls_ca_file` cannot be read.
  explicit HttpPool(HttpPoolOptions options);
  // Calls under way end as unknown, and their tasks are resumed: whoever waits for them outlives the pool.
  ~HttpPool();
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  // A call that a kept connection swallowed (the server had closed it) is sent once more over a new one: only
  // for what the server does once however often it is asked.
  Task<HttpReply> Call(HttpAsk ask);

  // Runs the task on the pool's thread; at the end the pool waits for it.
  void Spawn(Task<Done> task);

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace maejin::payment
