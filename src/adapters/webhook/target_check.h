// Checks that webhooks and probes go to public addresses only (domain/public_address.h).
#pragma once

#include <string>

#include <sys/socket.h>

#include "base/task.h"

namespace maejin::webhook {

// False for addresses that are not public, and for families other than IPv4 and IPv6.
bool MayConnect(const sockaddr& address);

// False if an address of the host is not public. True if the host cannot be resolved within two seconds:
// MayConnect() checks each connection again. A host that is a number, decimal, octal or hexadecimal, is
// checked as the address that the resolver makes of it.
Task<bool> MayResolve(std::string host);

}  // namespace maejin::webhook
