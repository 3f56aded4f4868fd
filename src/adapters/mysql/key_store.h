// The signing keys in the database, so that all nodes accept each other's tokens and passes. Every account
// that may read these rows can sign, so only maejin should use maejin's account.
#pragma once

#include <memory>

#include "adapters/mysql/connection.h"
#include "base/key_ring.h"
#include "base/random.h"

namespace maejin::mysql {

inline constexpr int kKeysKept = 16;
inline constexpr Seconds kKeysSpread{5};

// Reads the keys. If there are none, exactly one node creates the first ones, and all nodes read the same.
// Throws MysqlError.
std::unique_ptr<KeyRing> OpenKeys(Connection& connection, Random& random);
// Adds a new key of each kind. Nodes accept it from their next RefreshKeys() on and sign with it after
// `spread`, when every node has read it. So no node gets a token that it cannot verify. Throws MysqlError.
void AddNewestKeys(Connection& connection, Random& random, Seconds spread = kKeysSpread);
// Installs added keys, and signs with keys that became due. True: something changed. Call about every second,
// and outside of a transaction: the ring must not have keys that are not committed. Throws MysqlError.
bool RefreshKeys(Connection& connection, KeyRing& ring);

}  // namespace maejin::mysql
