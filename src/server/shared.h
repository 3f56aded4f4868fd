// State that all serving threads share. Each member is read-only after the start, atomic, or has its own
// lock.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/crypto.h"
#include "base/task.h"
#include "base/timer.h"
#include "server/access_log.h"
#include "server/admin_key.h"
#include "server/client_address.h"
#include "server/connection_limits.h"
#include "server/cors.h"
#include "server/keyed_counts.h"
#include "server/log_throttle.h"
#include "server/owed_budget.h"
#include "server/problem_writer.h"
#include "server/router.h"
#include "server/server_metrics.h"
#include "server/server_options.h"
#include "server/shedding.h"
#include "server/tls_certificate.h"

namespace maejin::http {

using Tcp = boost::asio::ip::tcp;
using Socket = boost::asio::basic_stream_socket<Tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<Tcp, Executor>;

// The settings of the server as one set. A reload replaces the whole set.
struct Rules {
  ServerOptions options;
  ProxyTrust proxies;
  Cors cors;
};

struct Shared {
  const Router& router;
  std::atomic<const Rules*> rules;  // never null; replaced sets live as long as the server
  AdminGate admin;
  const ProblemWriter& problems;
  ConnectionLimits limits;
  KeyedCounts streams;  // by token, by user and by Authorization header
  OwedBudget owed;
  Shedding shedding;
  ServerMetrics metrics;
  AccessLog access_log;
  TlsCertificate certificate;
  LogThrottle refused_log;
  std::function<bool(const Request&)> is_privileged;                       // null: no client is privileged
  std::function<bool(const Route&, const Request&, Response&)> intercept;  // null: routes answer
  FindSession find_session;                                                // null: only keys are accepted
  std::function<std::optional<std::chrono::seconds>()> copy_age;           // null: no answer has an Age
  // Connections end after their current request. Set before the first thread begins to drain.
  std::atomic<bool> draining{false};

  const ServerOptions& options() const { return rules.load(std::memory_order_acquire)->options; }
  const ProxyTrust& proxies() const { return rules.load(std::memory_order_acquire)->proxies; }
  const Cors& cors() const { return rules.load(std::memory_order_acquire)->cors; }
};

}  // namespace maejin::http
