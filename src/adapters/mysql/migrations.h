// Migrates a database to the schema of this program: the files of schema/, in order, each once.
#pragma once

#include "adapters/mysql/connection.h"

namespace maejin::mysql {

// Options with long timeouts, for migrations and moves of data: their statements take longer than those of
// requests.
ServerOptions WithLongTimeouts(ServerOptions server);

// The schema version this program writes: the number of files in schema/.
int SchemaVersion();
// The schema version of a database; 0: empty.
int SchemaVersionOf(Connection& connection);

// Applies the missing files and returns their number. One node at a time migrates, under a lock of the
// server; the other nodes wait and then have nothing to do. The server cannot roll back a definition, so
// every statement of schema/ can be repeated: after a crash the next node continues. Throws MysqlError, also
// if a newer maejin wrote the database, or if the lock is held too long.
int Migrate(Connection& connection);

}  // namespace maejin::mysql
