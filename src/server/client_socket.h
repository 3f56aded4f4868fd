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

  // As recv(): the number of bytes, 0 at the end, or -1 with errno. EAGAIN: call again after the socket event
  // that wait() names.
  ssize_t Receive(char* to, std::size_t size);
  // As send(). After EAGAIN the next call must begin with the same bytes. `more`: more bytes follow at once.
  ssize_t Send(const char* from, std::size_t size, bool more = false);
  // The socket event to await after Receive() returned EAGAIN. During a handshake TLS may have to write.
  Socket::wait_type wait() const { return wait_; }

  bool tls() const { return tls_ != nullptr; }
  bool handshake_done() const;
  // The client has presented the ticket of an earlier session.
  bool resumed() const;
  // True: TLS has read bytes from the kernel that Receive() has not returned. Call Receive() without waiting.
  bool HasUnread() const;
  // Ends TLS and closes the sending side. Afterwards Receive() returns raw bytes, which the caller discards.
  void ShutdownSend();
  void Close();

  Socket& tcp() { return socket_; }
  int descriptor() { return socket_.native_handle(); }

 private:
  void EndTls();

  Socket socket_;
  TlsSession tls_;
  Socket::wait_type wait_ = Socket::wait_read;
  bool blocked_ = false;  // the last Receive() returned EAGAIN: no whole TLS record has arrived
};

}  // namespace maejin::http
