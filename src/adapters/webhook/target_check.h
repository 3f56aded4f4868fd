// Checks the addresses of targets by domain/public_address.h.
#pragma once

#include <string>

#include <sys/socket.h>

#include "base/task.h"

namespace maejin::webhook {

// False for addresses that are not public, and for families other than IPv4 and IPv6.
bool MayConnect(const sockaddr& address);

// False if an address of the host is not public. True if the host cannot be resolved within two seconds.
// Numbers in any form that the resolver understands (decimal, octal, hexadecimal) are addresses.
Task<bool> MayResolve(std::string host);

}  // namespace maejin::webhook
