// The socket of one client, plain or with TLS. Nothing here blocks. Not thread-safe.
#pragma once

#include <cstddef>

#include <sys/types.h>

#include "server/shared.h"
#include "server/tls_session.h"

namespace maejin::http {

class ClientSocket {
 public:
  // `tls` is null for a plain connection; otherwise the first Receive() begins the handshake.
  ClientSocket(Socket socket, TlsSession tls);

  // As recv(): the number of bytes, 0 at the end, or -1 with errno. EAGAIN: call again once wait() is over.
  ssize_t Receive(char* to, std::size_t size);
  // As send(). After EAGAIN the next call must begin with the same bytes. `more`: more bytes follow at once.
  ssize_t Send(const char* from, std::size_t size, bool more = false);
  // The event that the last Receive() lacked: a handshake may have to write.
  Socket::wait_type wait() const { return wait_; }

  bool tls() const { return tls_ != nullptr; }
  bool handshake_done() const;
  // The client has presented the ticket of an earlier session.
  bool resumed() const;
  // Call Receive() now instead of waiting: bytes have been read from the kernel and not returned yet.
  bool HasUnread() const;
  // Says goodbye and closes the sending side. From now on Receive() returns raw bytes, to be discarded.
  void ShutdownSend();
  void Close();

  Socket& tcp() { return socket_; }
  int descriptor() { return socket_.native_handle(); }

 private:
  void EndTls();

  Socket socket_;
  TlsSession tls_;
  Socket::wait_type wait_ = Socket::wait_read;
  bool blocked_ = false;  // a record is incomplete: the last Receive() returned EAGAIN
};

}  // namespace maejin::http
