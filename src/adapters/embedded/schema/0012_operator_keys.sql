-- Operators' keys with their roles. `digest` is the SHA-256 of the key; the key itself is stored nowhere.
CREATE TABLE operator_keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
