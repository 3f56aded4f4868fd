-- Emergency controls: bypasses of rooms, the fans inside without a slot, and the maintenance page.
CREATE TABLE bypasses (
  room TEXT PRIMARY KEY,
  ends_at INTEGER NOT NULL,
  session_seconds INTEGER NOT NULL
) STRICT;
-- `ended`: 1 where the stay ended before `ends_at`, so that its pass is listed as revoked until then.
CREATE TABLE bypass_stays (
  room TEXT NOT NULL,
  user TEXT NOT NULL,
  number INTEGER NOT NULL,
  entered_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  ended INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (room, user)
) STRICT, WITHOUT ROWID;
-- One row while fans see the maintenance page.
CREATE TABLE maintenance (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  since INTEGER NOT NULL
) STRICT;
