-- Places whose admission was pruned: their tokens stay used after a loss of Redis (store/admission_log.h).
CREATE TABLE IF NOT EXISTS used_places (
  room VARBINARY(512) NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (room, number)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
