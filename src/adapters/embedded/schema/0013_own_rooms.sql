-- Rooms of the operator's own, and the way to a site and back. Instants in milliseconds.
ALTER TABLE room ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE room ADD COLUMN return_urls TEXT NOT NULL DEFAULT '';   -- one a line
ALTER TABLE room ADD COLUMN visitors TEXT NOT NULL DEFAULT 'users';
ALTER TABLE room ADD COLUMN verify TEXT NOT NULL DEFAULT 'online';

-- Return codes that were used. A code is refused by its own end after expires_at.
CREATE TABLE used_return_code (
  code TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Passes that ended before their exp.
CREATE TABLE revoked_pass (
  room INTEGER NOT NULL,
  jti TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (room, jti)
) STRICT, WITHOUT ROWID;
