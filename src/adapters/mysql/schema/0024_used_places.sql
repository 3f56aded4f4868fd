-- The numbers of pruned admissions (store/admission_log.h). After a loss of Redis, a token with such a number
-- restores no place: its fan was admitted before.
CREATE TABLE IF NOT EXISTS used_places (
  room VARBINARY(512) NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (room, number)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
