// A keep-alive HTTP/1.1 client for one server, with a bounded number of connections and a thread of its own.
// A call does not block the caller's thread.
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
  // Limit of calls that wait for a connection; further calls are kNotReached.
  std::size_t waiting = 1024;
  // For a whole call: waiting for a connection, connecting, sending, and reading the response.
  Millis deadline{10'000};
};

struct PoolRequest {
  std::string method = "GET";
  std::string target;
  std::string body = {};  // JSON, or empty
  std::vector<std::pair<std::string, std::string>> headers = {};
  // A response without this text belongs to another request: the call is kUnknown and the connection is
  // closed.
  std::string expected = {};
};

struct HttpReply {
  enum class Delivery : std::uint8_t {
    kAnswered,
    kUnknown,     // sent, but no valid response in time: the server may have executed it
    kNotReached,  // nothing was sent
  };
  Delivery delivery = Delivery::kUnknown;
  int status = 0;  // of HTTP; 0: no response began; -1: a response began and broke off
  std::string body;
};

// Thread-safe.
class HttpPool {
 public:
  // Throws std::runtime_error with a sentence for the operator: `tls_ca_file` cannot be read.
  explicit HttpPool(HttpPoolOptions options);
  // Ends calls in flight with kUnknown. The tasks that await them are then resumed, so they must still exist.
  ~HttpPool();
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  // Precondition: the request is idempotent. The request is retried if a kept connection breaks before the
  // response, because the server may have closed an idle connection before the request arrived.
  Task<HttpReply> Call(PoolRequest call);

  // Runs the task on the pool's thread; the destructor waits for it.
  void Spawn(Task<Done> task);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace maejin::payment
