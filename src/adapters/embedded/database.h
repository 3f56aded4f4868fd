// Opens the embedded database: sets durability, then applies the migrations of schema/ that are missing.
#pragma once

#include <string>

#include "adapters/embedded/sqlite.h"
#include "base/random.h"

namespace maejin::embedded {

// Throws SqliteError, also if a newer maejin wrote the file.
Connection OpenDatabase(const std::string& path);

// The schema version this program writes: the number of files in schema/.
int SchemaVersion();
// The identity of this database: random at the first call, then constant. Throws SqliteError.
std::int64_t IdentityOf(Connection& connection, Random& random);

}  // namespace maejin::embedded
