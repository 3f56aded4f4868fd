// The address of a Redis, with its credentials and options:
//   redis://[user[:password]@]host[:6379][/db]
//   rediss://…                                          the same over TLS
//   redis+sentinel://[user:password@]host[:26379],host…/master-name[/db]
//   redis+cluster://[user:password@]host[:6379],host…
// `rediss+sentinel` and `rediss+cluster` are the same over TLS. "redis://:secret@host" is a password without
// a user. User and password are percent-decoded. Query: ca=FILE (trust this certificate authority instead of
// the system's), verify=none (accept any certificate), timeout_ms=1000.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/hash_slots.h"
#include "base/result.h"
#include "base/time.h"

namespace maejin::redis {

enum class Topology : std::uint8_t { kStandalone, kSentinel, kCluster };

struct Address {
  Topology topology = Topology::kStandalone;
  std::vector<Endpoint> endpoints;  // the server, the sentinels, or some servers of the cluster; never empty
  std::string master_name;          // kSentinel only
  std::string user;                 // empty: the default user
  std::string password;             // empty: no AUTH
  int database = 0;                 // always 0 in a cluster
  bool tls = false;
  bool tls_verify = true;
  std::string tls_ca_file;
  // For one connection attempt, and for one command with its retries.
  Millis timeout{1000};

  // Without the password, for logs.
  std::string ToString() const;
};

// The error is a text for the operator, without the password.
Result<Address, std::string> ParseAddress(std::string_view url);

}  // namespace maejin::redis
