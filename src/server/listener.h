// Accepts the connections of one serving thread. All threads share the port (SO_REUSEPORT): the kernel
// spreads the connections over them.
#pragma once

#include <string>

#include "server/listener_options.h"
#include "server/shared.h"

namespace maejin::http {

class Worker;

// Used by the worker's thread.
class Listener {
 public:
  // The worker outlives it.
  Listener(Worker& worker, Acceptor acceptor, ListenerOptions options);

  // Accepts connections until Close(). Has no effect on a listener that accepts already, or is closed. Call
  // it again after a failed allocation, which may have ended the accepting.
  void Start();
  void Close();

 private:
  void Accept();
  void OnAccepted(Socket socket);
  // Answers 503 without parsing the request, and closes the connection. With TLS there is no answer.
  void Refuse(Socket& socket, const std::string& client);

  Worker& worker_;
  Acceptor acceptor_;
  const ListenerOptions options_;
  SteadyTimer accept_pause_;
  std::string refusal_;       // the 503 for refused connections
  std::string refusal_date_;  // the Date header inside refusal_
  bool accepting_ = false;    // async_accept(), or the pause before it, is pending
};

}  // namespace maejin::http
