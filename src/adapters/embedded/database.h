// Opens the embedded database: durability settings, then the migrations of schema/ that it has not seen yet.
#pragma once

#include <string>

#include "adapters/embedded/sqlite.h"
#include "base/random.h"

namespace maejin::embedded {

// Throws SqliteError, also where the file was written by a newer maejin. On a full disk it removes the reserve:
// recovering the write-ahead log takes some space.
Connection OpenDatabase(const std::string& path);
// Keeps 2 MiB beside the database for a start on a full disk, where there is room for them.
void KeepReserve(const std::string& path);

// The schema version this program writes: the number of files in schema/.
int SchemaVersion();
// A number that no other database has: made at the first call, the same ever after. Throws SqliteError.
std::int64_t IdentityOf(Connection& connection, Random& random);

}  // namespace maejin::embedded
