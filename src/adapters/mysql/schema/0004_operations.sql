-- The actions of operators. hash: SHA-256 over the previous row's hash and this row, so that a changed or
-- removed row is detected.
CREATE TABLE IF NOT EXISTS audit (
  id BIGINT NOT NULL PRIMARY KEY,
  at DATETIME(3) NOT NULL,
  actor VARCHAR(255) NOT NULL,
  action VARCHAR(255) NOT NULL,
  subject VARCHAR(1024) NOT NULL,
  detail LONGTEXT NOT NULL,
  hash VARCHAR(64) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The end of the chain: locked while a row is appended.
CREATE TABLE IF NOT EXISTS audit_head (
  one TINYINT NOT NULL PRIMARY KEY,
  last_id BIGINT NOT NULL,
  last_hash VARCHAR(64) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO audit_head (one, last_id, last_hash) VALUES (1, 0, '');

-- Stored answers of requests with an Idempotency-Key; replaced by idempotency_keys (0005). id: SHA-256 of
-- caller, method, path and key. fingerprint: SHA-256 of the body. status NULL: the request is running. owner:
-- the attempt that is running. Rows are deleted 24 hours after begun_at.
CREATE TABLE IF NOT EXISTS idempotency (
  id BINARY(32) NOT NULL PRIMARY KEY,
  fingerprint BINARY(32) NOT NULL,
  owner BINARY(16) NOT NULL,
  begun_at DATETIME(3) NOT NULL,
  running_until DATETIME(3) NOT NULL,
  announced TINYINT NOT NULL,
  status INT,
  headers TEXT,
  body LONGBLOB,
  INDEX idempotency_by_time (begun_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Settings of the rankings, such as the day before which boards were pruned (days since 1970-01-01).
CREATE TABLE IF NOT EXISTS ranking_settings (
  name VARCHAR(64) NOT NULL PRIMARY KEY,
  value BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Locked while ids of concerts or dates are assigned, or imported ids reserved.
INSERT IGNORE INTO ranking_settings (name, value) VALUES ('ids', 0);

-- Admission records of waiting rooms in Redis: after a loss a used place stays used, and a fan inside stays
-- inside.
CREATE TABLE IF NOT EXISTS admissions (
  room VARCHAR(128) NOT NULL,
  number BIGINT NOT NULL,
  user VARCHAR(128) NOT NULL,
  epoch BIGINT NOT NULL,
  entered_at DATETIME(3) NOT NULL,
  session_ends_at DATETIME(3) NOT NULL,
  ended_at DATETIME(3),
  PRIMARY KEY (room, number, user),
  INDEX admissions_by_end (session_ends_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The data from which a room in Redis is restored. settings: in the format of the room store.
CREATE TABLE IF NOT EXISTS shared_rooms (
  room VARCHAR(128) NOT NULL PRIMARY KEY,
  epoch BIGINT NOT NULL,
  last_number BIGINT NOT NULL,
  settings LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
