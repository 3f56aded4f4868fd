// The HTTP server: one event loop per thread, one table of routes.
//   Server server(router, options, parts);
//   auto bound = server.Listen("127.0.0.1:0");   // "127.0.0.1:40123", or a sentence why not
//   server.Start();  …  server.Drain(); server.Wait();
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/result.h"
#include "base/task.h"
#include "server/admin_key.h"
#include "server/listener_options.h"
#include "server/problem_writer.h"
#include "server/router.h"
#include "server/server_options.h"
#include "server/tls_certificate.h"

namespace maejin::http {

class Worker;
struct Shared;
struct Rules;

// What the program supplies to the server. All of it outlives the server.
struct ServerDependencies {
  AdminKey admin_key;
  FindOperator find_operator = {};  // absent: only `admin_key` is accepted
  FindSession find_session = {};    // absent: only keys are accepted
  const ProblemWriter& problems;
  Metrics* metrics = nullptr;  // absent: metrics are not exported
  // Whether a reserved connection may serve any request of this client. Thread-safe, never waits. Absent: no
  // client is privileged.
  std::function<bool(const Request&)> is_privileged = {};
  // True: it has answered the request, so that the route does not. Thread-safe, never waits. Absent: routes
  // answer.
  std::function<bool(const Route&, const Request&, Response&)> intercept = {};
  // The age of the copy that routes with `has_age` answer from; absent: it is current. Thread-safe, never
  // waits. Absent: no answer has an Age.
  std::function<std::optional<std::chrono::seconds>()> copy_age = {};
  // Absent: TLS sessions are resumed only by this process.
  TicketSecrets tickets = {};
};

// The address that a server is bound to: "127.0.0.1:40123".
struct BoundAddress {
  std::string text;
};

class Server {
 public:
  // `router` is complete and outlives the server.
  Server(const Router& router, ServerOptions options, ServerDependencies parts);
  // Stops the threads and closes event streams. Handlers may keep closed streams longer than the server
  // lives.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds "host:port" ("127.0.0.1:8080", "[::]:8080", "0.0.0.0:0"; port 0: a free one). Connections wait in
  // the kernel until Start(). Returns the address as bound, or a sentence for the operator (also about bad
  // options). May be called several times, with other addresses.
  Result<BoundAddress, std::string> Listen(const std::string& address, ListenerOptions options = {});
  // The same with a listening socket of a service manager, which must be bound to `address`. All threads
  // accept from it. Connections that wait in it survive this process: the manager keeps the socket open.
  Result<BoundAddress, std::string> ListenOn(int socket, const std::string& address,
                                             ListenerOptions options = {});

  // New TLS connections use this certificate from now on. The error is a sentence for the operator; then the
  // previous certificate stays in use. Any thread.
  Result<Done, std::string> LoadCertificate(const TlsFiles& files);
  Time certificate_expires_at() const;

  // Starts the serving threads and returns.
  void Start();
  // Blocks until all threads have ended: after Drain() has finished or Stop() was called.
  void Wait();

  // Begins a graceful shutdown and returns at once. First /readyz fails for options.drain_delay. Then no
  // connection is accepted, requests in flight are answered, and event streams get the event `reconnect`. The
  // threads end when that is done, at the latest after options.drain_deadline. Any thread; not from a signal
  // handler.
  void Drain();
  // Ends the threads now; requests in flight are lost.
  void Stop();
  // Applies new limits, proxies and origins to new requests and connections, and opens the access log's file
  // again. The number of threads, the length of the kernel's queue, the limit of requests in flight and the
  // access log's name do not change. Call from any thread, but not from two at once. The error is a sentence
  // for the operator; then nothing changes.
  Result<Done, std::string> Reload(ServerOptions options);
  bool draining() const { return draining_.load(std::memory_order_acquire); }

  // The event loops, one per serving thread, for tickers and background tasks. Valid before Start().
  std::vector<Executor> executors();

 private:
  std::unique_ptr<Metrics> own_metrics_;
  ServerOptions options_;  // the options at the start
  std::vector<std::unique_ptr<const Rules>> rules_;
  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  std::thread drainer_;
  std::string refused_option_;
  std::atomic<bool> draining_{false};
  std::atomic<bool> stopped_{false};
};

}  // namespace maejin::http
