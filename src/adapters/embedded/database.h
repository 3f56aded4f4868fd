// Opens the embedded database: durability settings, then the migrations of schema/ that it has not seen yet.
#pragma once

#include <string>

#include "adapters/embedded/sqlite.h"

namespace maejin::embedded {

// Throws SqliteError, also where the file was written by a newer maejin.
Connection OpenDatabase(const std::string& path);

// The schema version this program writes: the number of files in schema/.
int SchemaVersion();

}  // namespace maejin::embedded
