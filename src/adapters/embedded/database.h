// Opens the embedded database: sets durability, then applies the migrations of schema/ that are missing.
#pragma once

#include <string>

#include "adapters/embedded/sqlite.h"
#include "base/random.h"

namespace maejin::embedded {

// Throws SqliteError, also where the file was written by a newer maejin. On a full disk it removes the
// reserve: recovering the write-ahead log takes some space.
Connection OpenDatabase(const std::string& path);
// Keeps a reserve of 2 MiB beside the database, for a start on a full disk. Does nothing if the disk lacks
// the space.
void KeepReserve(const std::string& path);

// The schema version this program writes: the number of files in schema/.
int SchemaVersion();
// The identity of this database: random at the first call, then constant. Throws SqliteError.
std::int64_t IdentityOf(Connection& connection, Random& random);

}  // namespace maejin::embedded
