#include "server/client_socket.h"

#include <cerrno>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

namespace maejin::http {

ClientSocket::ClientSocket(Socket socket, TlsSession tls) : socket_(std::move(socket)), tls_(std::move(tls)) {
  if (!tls_) return;
  // OpenSSL uses write(), which raises SIGPIPE on a closed connection. The program ignores this signal.
  SSL_set_fd(tls_.get(), socket_.native_handle());
  SSL_set_accept_state(tls_.get());
}

ssize_t ClientSocket::Receive(char* to, std::size_t size) {
  if (!tls_) return recv(socket_.native_handle(), to, size, MSG_DONTWAIT);
  ERR_clear_error();
  std::size_t count = 0;
  const int done = SSL_read_ex(tls_.get(), to, size, &count);
  blocked_ = false;
  if (done == 1) return static_cast<ssize_t>(count);
  switch (SSL_get_error(tls_.get(), done)) {
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    case SSL_ERROR_WANT_READ:
      wait_ = Socket::wait_read;
      break;
    case SSL_ERROR_WANT_WRITE:
      wait_ = Socket::wait_write;
      break;
    default:
      errno = ECONNRESET;
      return -1;
  }
  blocked_ = true;
  errno = EAGAIN;
  return -1;
}

ssize_t ClientSocket::Send(const char* from, std::size_t size, bool more) {
  if (!tls_) {
    return send(socket_.native_handle(), from, size, MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0));
  }
  // SSL_write_ex() takes at most one TLS record per call.
  std::size_t taken = 0;
  while (taken < size) {
    ERR_clear_error();
    std::size_t count = 0;
    const int done = SSL_write_ex(tls_.get(), from + taken, size - taken, &count);
    if (done == 1) {
      taken += count;
      continue;
    }
    if (taken > 0) break;  // the next call of Send() returns the reason
    errno = SSL_get_error(tls_.get(), done) == SSL_ERROR_WANT_WRITE ? EAGAIN : ECONNRESET;
    return -1;
  }
  return static_cast<ssize_t>(taken);
}

bool ClientSocket::handshake_done() const { return tls_ && SSL_is_init_finished(tls_.get()) == 1; }

bool ClientSocket::resumed() const { return tls_ && SSL_session_reused(tls_.get()) == 1; }

bool ClientSocket::HasUnread() const { return tls_ && !blocked_ && SSL_has_pending(tls_.get()) == 1; }

void ClientSocket::EndTls() {
  if (handshake_done()) {
    ERR_clear_error();
    SSL_shutdown(tls_.get());  // if the socket takes no bytes, the client sees only the end of TCP
  }
  tls_.reset();
}

void ClientSocket::ShutdownSend() {
  EndTls();
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void ClientSocket::Close() {
  EndTls();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace maejin::http
