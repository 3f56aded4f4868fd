// Session tickets (RFC 5077, RFC 8446 4.6.1): a client that comes back skips the certificate and its
// signature. Tickets are sealed with keys that every node derives from the shared signing keys and the time,
// so any node resumes a session of any other, and a restart or a new certificate ends no session. The keys
// change twice a day; those of the previous period are still accepted.
#pragma once

#include <functional>
#include <vector>

#include "base/crypto.h"
#include "base/key_ring.h"
#include "base/time.h"

struct ssl_ctx_st;  // SSL_CTX

namespace maejin::http {

inline constexpr std::chrono::hours kTicketPeriod{12};

// Secrets, newest first. New tickets are sealed with the first secret; tickets sealed with any of them are
// opened. Never empty. Thread-safe.
using TicketSecrets = std::function<std::vector<Digest>()>;

// The secrets at the time `now`: for each kept signing key, one of the current period and one of the previous
// period.
std::vector<Digest> TicketSecretsAt(const KeyRing& keys, Time now);

// Makes the context use the secrets. Without this call OpenSSL has keys of its own, which no other node
// knows.
void UseTickets(ssl_ctx_st* context, TicketSecrets secrets);

}  // namespace maejin::http
