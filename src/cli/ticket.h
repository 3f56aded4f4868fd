// `maejin ticket verify CODE`: tells whether a ticket is valid, cancelled or unknown.
#pragma once

#include "cli/common/verb.h"

namespace maejin::cli {

std::vector<VerbFlag> TicketVerifyFlags();
// CODE is the code of a booking, or the text of a ticket's QR code. Exit 0: valid; 1: cancelled or unknown.
// With --jwks only the signature is checked, without a server.
int RunTicketVerify(const Invocation& invocation);

}  // namespace maejin::cli
