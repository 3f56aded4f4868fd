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
  // Longest body held in memory (413). Upload routes stream and have no limit of their own here.
  std::size_t body_limit = 64 * 1024;

  // A request's head must be complete this long after its first byte (408).
  std::chrono::milliseconds header_deadline{10'000};
  // A connection without a request is closed after this.
  std::chrono::milliseconds idle_deadline{60'000};
  // A body must be complete, or have come in at the least rate, this long after its head (408).
  std::chrono::milliseconds body_grace{10'000};
  std::size_t least_body_bytes_per_second = 1024;
  // A client that takes none of its answer for so long is dropped.
  std::chrono::milliseconds write_deadline{20'000};
  // A client that has unread answers must take this many bytes a second, on average over each window, or it is
  // dropped. Sixteen times as many while `owed.in_all` is nearly used up. 0: no minimum.
  std::size_t least_read_bytes_per_second = 16 * 1024;
  std::chrono::milliseconds read_window{10'000};
  // Memory for responses that clients have not read yet: in all, for one address, for one connection.
  // Loopback and trusted proxies have no limit per address.
  OwedBudget::Limits owed{128 << 20, 32 << 20, 16 << 20};
  // After an answer that ends the connection, what the client still sends is read and thrown away for so
  // long, so that the answer is not lost to a reset.
  std::chrono::milliseconds linger{2'000};

  // Open connections in all; more are closed at once.
  std::size_t connection_limit = 18'000;
  // Open connections of one address (an IPv6 network of 64 bits counts as one). Loopback and trusted
  // proxies are exempt. 0: no limit.
  std::size_t connections_per_address = 1'000;
  // Length of the kernel's queue of connections not yet accepted.
  int backlog = 4096;

  // Bytes an event stream may owe its listener, beyond what it was welcomed with, before it is closed.
  std::size_t stream_backlog_limit = 64 * 1024;
  // A comment is sent to every event stream this often, so that proxies keep it and dead ones are found.
  std::chrono::milliseconds stream_heartbeat{15'000};

  // Proxies whose word about the client's address is believed: "10.0.0.0/8", "::1".
  std::vector<std::string> trusted_proxies;
  // Web origins that may call from a browser: "https://tickets.example", or "*". Empty: CORS is off.
  std::vector<std::string> cors_origins;

  // Requests that wait for something at the same time. Beyond, load is shed by class: joins from 60 % on,
  // polls from 70 %, holds from 80 %, payments from 90 %, refunds from 100 %.
  std::size_t in_flight_limit = 20'000;

  // Where the access log goes: "" nowhere, "-" standard error, else a file, appended to.
  std::string access_log;

  // SIGTERM: how long /readyz says no before connections are refused (a load balancer must notice), and how
  // long requests may take to end after that.
  std::chrono::milliseconds drain_delay{0};
  std::chrono::milliseconds drain_deadline{10'000};
};

}  // namespace maejin::http
