// State that all serving threads share. Each member is read-only after the start, atomic, or has its own
// lock.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/crypto.h"
#include "base/task.h"
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

namespace maejin::http {

using Tcp = boost::asio::ip::tcp;
using Socket = boost::asio::basic_stream_socket<Tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<Tcp, Executor>;
using Timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

struct Shared {
  const Router& router;
  const ServerOptions& options;
  AdminGate admin;
  const ProblemWriter& problems;
  ProxyTrust proxies;
  Cors cors;
  ConnectionLimits limits;
  KeyedCounts streams;  // by token and by user
  OwedBudget owed;
  Shedding shedding;
  ServerMetrics metrics;
  AccessLog access_log;
  LogThrottle refused_log;
  // Connections end after their current request. Set before the first thread begins to drain.
  std::atomic<bool> draining{false};
};

}  // namespace maejin::http
