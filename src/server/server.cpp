#include "server/server.h"

#include <cerrno>
#include <condition_variable>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/open_files.h"
#include "server/worker.h"

namespace maejin::http {
namespace {

using ReusePort = boost::asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

Result<Tcp::endpoint, std::string> ParseEndpoint(const std::string& text) {
  const auto colon = text.rfind(':');
  const auto bad = fmt::format("\"{}\" is not an address like 127.0.0.1:8080 or [::]:8080", text);
  if (colon == std::string::npos) return bad;
  auto host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  const auto port = ParseInt<unsigned short>(std::string_view(text).substr(colon + 1));
  if (!port) return bad;
  boost::system::error_code wrong;
  const auto address = boost::asio::ip::make_address(host, wrong);
  if (wrong) return bad;
  return Tcp::endpoint(address, *port);
}

std::string Text(const Tcp::endpoint& endpoint) {
  const auto host = endpoint.address().to_string();
  return fmt::format("{}:{}", endpoint.address().is_v6() ? "[" + host + "]" : host, endpoint.port());
}

// The address of a listening TCP socket.
Result<Tcp::endpoint, std::string> EndpointOf(int socket) {
  int listens = 0;
  socklen_t size = sizeof listens;
  if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0)
    return std::string("the descriptor that the service manager passed is not a listening socket");
  Tcp::endpoint endpoint;
  auto length = static_cast<socklen_t>(endpoint.capacity());
  if (getsockname(socket, endpoint.data(), &length) != 0 ||
      (endpoint.data()->sa_family != AF_INET && endpoint.data()->sa_family != AF_INET6))
    return std::string("the socket that the service manager passed is not a TCP socket");
  endpoint.resize(length);
  return endpoint;
}

// Opens and binds the acceptor. `share`: also listens, with SO_REUSEPORT, so that each thread has an acceptor
// on the same port.
boost::system::error_code Open(Acceptor& acceptor, const Tcp::endpoint& endpoint, bool share, int backlog) {
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
  if (!error && share) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error && share) acceptor.listen(backlog, error);
  return error;
}

std::string CannotListen(const std::string& address, std::string_view flag,
                         const boost::system::error_code& error) {
  if (error != boost::asio::error::address_in_use)
    return fmt::format("cannot listen on {}: {}", address, error.message());
  return fmt::format(
      "cannot listen on {}: another program uses this port. Stop it, or give another {} (port 0 chooses a "
      "free one)",
      address, flag);
}

}  // namespace

Server::Server(const Router& router, ServerOptions options, ServerDependencies parts)
    : options_(std::move(options)) {
  if (!parts.metrics) {
    own_metrics_ = std::make_unique<Metrics>();
    parts.metrics = own_metrics_.get();
  }
  auto proxies = ProxyTrust::Parse(options_.trusted_proxies);
  if (!proxies.ok()) refused_option_ = proxies.error();
  auto log = AccessLog::Open(options_.access_log);
  if (!log.ok()) refused_option_ = log.error();
  rules_.push_back(std::make_unique<const Rules>(
      Rules{options_, proxies.ok() ? std::move(*proxies) : ProxyTrust{}, Cors(options_.cors_origins)}));
  shared_.reset(
      new Shared{router,
                 rules_.back().get(),
                 {parts.admin_key, *parts.metrics, std::move(parts.find_operator)},
                 parts.problems,
                 {options_.connection_limit, options_.connections_per_address, options_.reserved_connections},
                 {},
                 {options_.owed, *parts.metrics},
                 Shedding(options_.in_flight_limit),
                 ServerMetrics(*parts.metrics, router),
                 log.ok() ? std::move(*log) : AccessLog{},
                 {},
                 {},
                 std::move(parts.is_privileged),
                 std::move(parts.intercept),
                 std::move(parts.find_session),
                 std::move(parts.copy_age)});
  auto& shared = *shared_;
  shared.certificate.UseTickets(std::move(parts.tickets));
  parts.metrics->AddGaugeOf("maejin_http_connections", "Open connections, event streams among them.",
                            [&shared] { return static_cast<double>(shared.limits.open()); });
  parts.metrics->AddGaugeOf("maejin_http_connections_reserved",
                            "Reserved connections in use: above 0 the connection limit is nearly reached.",
                            [&shared] { return static_cast<double>(shared.limits.reserved_in_use()); });
  parts.metrics->AddGaugeOf("maejin_http_owed_bytes",
                            "Memory kept for clients that have not yet read their responses, in bytes.",
                            [&shared] { return static_cast<double>(shared.owed.bytes()); });
  parts.metrics->AddGaugeOf("maejin_http_requests_in_flight", "Requests in flight.",
                            [&shared] { return static_cast<double>(shared.shedding.in_flight()); });
  const auto threads =
      options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(shared));
}

Server::~Server() {
  Stop();
  Wait();
  // Two rounds: a task that is destroyed in the first round may post to a worker that is empty already.
  for (int round = 0; round < 2; ++round) {
    for (const auto& worker : workers_) worker->DropPending();
  }
}

Result<BoundAddress, std::string> Server::Listen(const std::string& address, ListenerOptions options) {
  if (!refused_option_.empty()) return refused_option_;
  RaiseOpenFiles();
  auto parsed = ParseEndpoint(address);
  if (!parsed.ok()) return parsed.error();
  Tcp::endpoint endpoint = *parsed;
  {
    // SO_REUSEPORT would let a second server of the same user share the port unnoticed: bind once without it
    // first.
    Acceptor alone(workers_.front()->executor());
    if (const auto error = Open(alone, endpoint, false, 0)) {
      return CannotListen(address, options.flag, error);
    }
  }
  for (const auto& worker : workers_) {
    Acceptor acceptor(worker->executor());
    if (const auto error = Open(acceptor, endpoint, true, options_.backlog)) {
      return CannotListen(address, options.flag, error);
    }
    endpoint.port(acceptor.local_endpoint().port());
    worker->Listen(std::move(acceptor), options);
  }
  return BoundAddress{Text(endpoint)};
}

Result<BoundAddress, std::string> Server::ListenOn(int socket, const std::string& address,
                                                   ListenerOptions options) {
  if (!refused_option_.empty()) return refused_option_;
  RaiseOpenFiles();
  auto wanted = ParseEndpoint(address);
  if (!wanted.ok()) return wanted.error();
  const auto bound = EndpointOf(socket);
  if (!bound.ok()) return bound.error();
  if (*bound != *wanted) {
    return fmt::format("the service manager passed a socket on {}, but `listen` is {}: make them equal",
                       Text(*bound), Text(*wanted));
  }
  for (const auto& worker : workers_) {
    Acceptor acceptor(worker->executor());
    boost::system::error_code error;
    const int own = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
      return fmt::format("cannot use the socket that the service manager passed: {}", std::strerror(errno));
    acceptor.assign(bound->protocol(), own, error);
    if (error) {
      close(own);
      return fmt::format("cannot use the socket that the service manager passed: {}", error.message());
    }
    worker->Listen(std::move(acceptor), options);
  }
  return BoundAddress{Text(*bound)};
}

void Server::Start() {
  for (const auto& worker : workers_) threads_.emplace_back([&worker = *worker] { worker.Run(); });
}

void Server::Wait() {
  for (auto& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  stopped_.store(true);
  stopped_.notify_all();
  if (drainer_.joinable()) drainer_.join();
}

void Server::Drain() {
  if (draining_.exchange(true)) return;
  drainer_ = std::thread([this] {
    const auto pause = [this](std::chrono::milliseconds length) {
      const auto end = std::chrono::steady_clock::now() + length;
      while (!stopped_ && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
      }
    };
    pause(options_.drain_delay);
    shared_->draining = true;
    for (const auto& worker : workers_) worker->Drain();
    pause(shared_->options().drain_deadline);
    for (const auto& worker : workers_) worker->Stop();
  });
}

Result<Done, std::string> Server::LoadCertificate(const TlsFiles& files) {
  return shared_->certificate.Load(files);
}

Time Server::certificate_expires_at() const { return shared_->certificate.expires_at(); }

Result<Done, std::string> Server::Reload(ServerOptions options) {
  auto proxies = ProxyTrust::Parse(options.trusted_proxies);
  if (!proxies.ok()) return proxies.error();
  const auto reopened = shared_->access_log.Reopen(options_.access_log);
  if (!reopened.ok()) return reopened.error();
  Cors cors(options.cors_origins);
  shared_->limits.Set(options.connection_limit, options.connections_per_address,
                      options.reserved_connections);
  shared_->owed.Set(options.owed);
  rules_.push_back(
      std::make_unique<const Rules>(Rules{std::move(options), std::move(*proxies), std::move(cors)}));
  shared_->rules.store(rules_.back().get(), std::memory_order_release);
  return Done{};
}

void Server::Stop() {
  stopped_ = true;
  for (const auto& worker : workers_) worker->Stop();
}

std::vector<Executor> Server::executors() {
  std::vector<Executor> all;
  for (const auto& worker : workers_) all.push_back(worker->executor());
  return all;
}

}  // namespace maejin::http
