#include "server/listener.h"

#include <sys/socket.h>

#include "base/log.h"
#include "server/connection.h"
#include "server/response_head.h"
#include "server/worker.h"

namespace maejin::http {

Listener::Listener(Worker& worker, Acceptor acceptor, ListenerOptions options)
    : worker_(worker), acceptor_(std::move(acceptor)), options_(options), accept_pause_(worker.executor()) {}

void Listener::Start() {
  if (!accepting_ && acceptor_.is_open()) Accept();
}

void Listener::Close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
}

void Listener::Accept() {
  accepting_ = false;
  acceptor_.async_accept(worker_.executor(), [this](boost::system::error_code error, Socket socket) {
    accepting_ = false;  // until Accept() has begun again
    // A connection may have been accepted just before Close() during a drain: it is served too.
    if (!error) OnAccepted(std::move(socket));
    if (!acceptor_.is_open()) return;
    if (!error) return Accept();
    // Usually the process is out of file descriptors. The listener pauses before it retries: a loop of
    // failing accepts would take the CPU from the open connections.
    LogWarning("http: cannot accept: {}", error.message());
    accept_pause_.expires_after(std::chrono::milliseconds{100});
    accept_pause_.async_wait([this](boost::system::error_code) {
      accepting_ = false;
      if (acceptor_.is_open()) Accept();
    });
    accepting_ = true;
  });
  accepting_ = true;
}

void Listener::OnAccepted(Socket socket) {
  boost::system::error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return;
  auto address = remote.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
  }
  auto& shared = worker_.shared();
  const bool proxy = shared.proxies().Trusts(address);
  auto slot = shared.limits.Take(address, proxy);
  if (!slot) return Refuse(socket, address.to_string());
  shared.metrics.accepted.Add();
  socket.set_option(Tcp::no_delay(true), error);
  socket.non_blocking(true, error);
  Connection::Peer peer{address.to_string(), proxy, options_};
  TlsSession tls;
  if (options_.tls && !(tls = shared.certificate.NewSession())) return;
  const Connection::Pointer connection(new Connection(
      worker_, ClientSocket(std::move(socket), std::move(tls)), std::move(slot), std::move(peer)));
  connection->Start();
}

// Bytes that have arrived are discarded: closing with unread bytes would reset the connection, and the client
// would not see the response.
void Listener::Refuse(Socket& socket, const std::string& client) {
  auto& shared = worker_.shared();
  shared.metrics.refused_connections.Add();
  if (refusal_.empty() || refusal_date_ != worker_.date_line()) {
    refusal_date_ = worker_.date_line();
    refusal_.clear();
    Response response;
    shared.problems.Write(Refusal::kUnavailable, Request{}, response);
    AnswerForm form;
    form.keep_alive = false;
    form.date_line = refusal_date_;
    AppendAnswer(response, form, refusal_);
  }
  if (!options_.tls) {
    char scratch[4096];
    recv(socket.native_handle(), scratch, sizeof scratch, MSG_DONTWAIT);
    send(socket.native_handle(), refusal_.data(), refusal_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  boost::system::error_code ignored;
  socket.shutdown(Socket::shutdown_send, ignored);
  const auto left_out = shared.refused_log.Take();
  if (!left_out) return;
  LogWarning(
      "http: refused a connection from {}: {} of {} are open, or it has too many; {} more since the last "
      "line",
      client, shared.limits.open(), shared.limits.limit(), *left_out);
}

}  // namespace maejin::http
