// The signing keys in the database, so that all nodes accept each other's tokens and passes. Any account that
// may read these rows can sign: keep the account of maejin to maejin.
#pragma once

#include <memory>

#include "adapters/mysql/connection.h"
#include "base/key_ring.h"
#include "base/random.h"

namespace maejin::mysql {

inline constexpr int kKeysKept = 16;
inline constexpr Seconds kKeysSpread{5};

// Reads the keys. Where there are none, one node makes the first ones, however many start at once, and all
// read the same. Throws MysqlError.
std::unique_ptr<KeyRing> OpenKeys(Connection& connection, Random& random);
// Adds a new key of each kind. All nodes accept it from their next RefreshKeys on and sign with it after
// `spread`: until then every node has read it, so that no node gets a token that it cannot verify. Throws
// MysqlError.
void RotateKeys(Connection& connection, Random& random, KeyRing& ring, Seconds spread = kKeysSpread);
// Installs what was added, and signs with what has become due. True: there was something. Call about every
// second. Throws MysqlError.
bool RefreshKeys(Connection& connection, KeyRing& ring);

}  // namespace maejin::mysql
