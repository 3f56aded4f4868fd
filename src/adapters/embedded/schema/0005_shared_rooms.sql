-- Records of waiting rooms in Redis (store/admission_log.h). Instants in milliseconds since 1970, UTC.
CREATE TABLE admissions (
  room TEXT NOT NULL,
  number INTEGER NOT NULL,
  user TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  entered_at INTEGER NOT NULL,
  session_ends_at INTEGER NOT NULL,
  ended_at INTEGER,                       -- NULL: inside, as far as is known
  PRIMARY KEY (room, number, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX admissions_by_end ON admissions (session_ends_at);

CREATE TABLE shared_rooms (
  room TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  last_number INTEGER NOT NULL,
  settings TEXT NOT NULL
) STRICT, WITHOUT ROWID;
