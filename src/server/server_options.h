// Every setting of the HTTP server, with its default.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/owed_budget.h"
#include "server/request_head.h"

namespace maejin::http {

struct ServerOptions {
  // Serving threads, each with its own event loop; 0: one per core.
  unsigned threads = 0;

  // Longest request target (414) and head (431).
  HeadLimits head;
  // Longest body held in memory (413). Upload routes stream the body and ignore this limit.
  std::size_t body_limit = 64 * 1024;

  // A request's head must be complete this long after its first byte (408).
  std::chrono::milliseconds header_deadline{10'000};
  // A connection without a request is closed after this.
  std::chrono::milliseconds idle_deadline{60'000};
  // A body must be complete this long after its head (408). Every `least_body_bytes_per_second` bytes that
  // have arrived add one second.
  std::chrono::milliseconds body_grace{10'000};
  std::size_t least_body_bytes_per_second = 1024;
  // A client that takes none of its response for this long is dropped.
  std::chrono::milliseconds write_deadline{20'000};
  // Minimum reading rate of a client with unread responses, averaged over each window; a slower client is
  // dropped. The minimum is 16 times as high while more than three quarters of `owed.in_all` are used. 0: no
  // minimum.
  std::size_t least_read_bytes_per_second = 16 * 1024;
  std::chrono::milliseconds read_window{10'000};
  // Memory for responses that clients have not read yet: in all, for one address, for one connection.
  // Loopback and trusted proxies have no limit per address.
  OwedBudget::Limits owed{128 << 20, 32 << 20, 16 << 20};
  // After the last response of a connection, the server discards input for this long before it closes:
  // closing with unread input would reset the connection and lose the response.
  std::chrono::milliseconds linger{2'000};

  // Open connections in all; more are answered 503 and closed at once.
  std::size_t connection_limit = 18'000;
  // The number of connections, at most a quarter of connection_limit, that serve only health checks,
  // operators, holds, payments and refunds.
  std::size_t reserved_connections = 500;
  // Open connections of one address (an IPv6 network of 64 bits counts as one). Loopback is exempt. Behind a
  // trusted proxy the running requests and streams of the forwarded address are counted. 0: no limit.
  std::size_t connections_per_address = 1'000;
  // Event streams of one queue token, of one user, and of one Authorization header. 0: no limit.
  std::size_t streams_per_client = 10;
  // Length of the kernel's queue of connections not yet accepted.
  int backlog = 4096;

  // An event stream with a larger backlog, in bytes, is closed. The frames from before its start do not
  // count.
  std::size_t stream_backlog_limit = 64 * 1024;
  // Interval of the empty comments (":") that every event stream gets. They keep proxies from closing the
  // stream, and detect dead clients.
  std::chrono::milliseconds stream_heartbeat{15'000};

  // Proxies whose forwarding headers count: "10.0.0.0/8", "::1".
  std::vector<std::string> trusted_proxies;
  // Web origins that may call from a browser: "https://tickets.example", or "*". Empty: CORS is off.
  std::vector<std::string> cors_origins;

  // Limit on requests in flight. Load is shed by class: joins from 60 % of it on, polls from 70 %, holds from
  // 80 %, payments from 90 %, refunds from 100 %.
  std::size_t in_flight_limit = 20'000;

  // Where the access log goes: "" nowhere, "-" standard error, else a file, appended to.
  std::string access_log;
  // Lines of the access log are JSON objects.
  bool json_log = false;

  // Graceful shutdown. drain_delay: how long /readyz fails before connections are refused, so that load
  // balancers notice. drain_deadline: how long requests in flight may take after that.
  std::chrono::milliseconds drain_delay{0};
  std::chrono::milliseconds drain_deadline{10'000};
  // How long a shutdown waits for the first request of a new connection.
  std::chrono::milliseconds first_request_wait{1'000};
};

}  // namespace maejin::http
