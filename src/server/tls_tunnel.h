// TLS in front of a connection. A tunnel decrypts the client's bytes into a local socket pair, whose other
// end is an ordinary connection, and encrypts its answers. So plain connections pay nothing for TLS, and all
// their limits hold for TLS too: a tunnel reads answers only as fast as the client takes them.
#pragma once

#include "server/connection_limits.h"
#include "server/shared.h"
#include "server/transport.h"

namespace maejin::http {

// Begins the handshake; it must end within the header deadline. The slot passes on to the connection.
void StartTlsTunnel(Worker& worker, Socket socket, ConnectionSlot slot, Transport::Peer peer);

}  // namespace maejin::http
