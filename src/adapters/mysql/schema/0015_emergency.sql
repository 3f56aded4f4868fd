-- Emergency controls: bypasses of rooms, the fans inside without a slot, and the maintenance page.
CREATE TABLE IF NOT EXISTS bypasses (
  room VARBINARY(512) NOT NULL PRIMARY KEY,
  ends_at DATETIME(3) NOT NULL,
  session_seconds BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
-- `ended`: 1 where the stay ended before `ends_at`, so that its pass is listed as revoked until then.
CREATE TABLE IF NOT EXISTS bypass_stays (
  room VARBINARY(512) NOT NULL,
  user VARBINARY(512) NOT NULL,
  number BIGINT NOT NULL,
  entered_at DATETIME(3) NOT NULL,
  ends_at DATETIME(3) NOT NULL,
  ended TINYINT NOT NULL DEFAULT 0,
  PRIMARY KEY (room, user),
  KEY bypass_stays_by_end (ends_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
-- One row while fans see the maintenance page.
CREATE TABLE IF NOT EXISTS maintenance (
  id TINYINT NOT NULL PRIMARY KEY,
  since DATETIME(3) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
