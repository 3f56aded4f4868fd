-- Places whose admission was pruned: their tokens stay used after a loss of Redis (store/admission_log.h).
CREATE TABLE used_places (
  room TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (room, number)
) STRICT, WITHOUT ROWID;
