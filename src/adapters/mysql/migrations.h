// Migrates a database to the schema of this program: the files of schema/, in order, each once.
#pragma once

#include "adapters/mysql/connection.h"

namespace maejin::mysql {

// Options with long timeouts, for migrations and moves of data: their statements take longer than those of
// requests.
ServerOptions Patient(ServerOptions server);

// The schema version this program writes: the number of files in schema/.
int SchemaVersion();
// The schema version of a database; 0: empty.
int SchemaVersionOf(Connection& connection);

// Applies what is missing and returns how many files that were. One node at a time, under a lock of the
// server; the others wait for it and then find nothing to do. The server cannot roll back a definition, so
// every statement of schema/ can be repeated: a node that dies in the middle leaves the rest to the next one.
// Throws MysqlError; also where the database was written by a newer maejin, or the lock is held too long.
int Migrate(Connection& connection);

}  // namespace maejin::mysql
