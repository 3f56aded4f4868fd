-- The numbers of pruned admissions (store/admission_log.h). After a loss of Redis, a token with such a number
-- restores no place: its fan was admitted before.
CREATE TABLE used_places (
  room TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (room, number)
) STRICT, WITHOUT ROWID;
