-- Remembered answers belong to a caller, and only effects are remembered. A table of its own: nodes of the
-- version before go on writing `idempotency` until they are replaced, and the ids of its rows were made from
-- addresses. id: SHA-256 of caller, method, path and key. fingerprint: SHA-256 of the body. caller: SHA-256
-- of the caller, for its quota. Without a status the request runs on some node, which may die: after
-- `running_until` its key may be used again, unless the request was announced as one that must not run twice.
-- `owner` names the attempt that began it. Rows end 24 hours after begun_at.
CREATE TABLE IF NOT EXISTS idempotency_keys (
  id BINARY(32) NOT NULL PRIMARY KEY,
  fingerprint BINARY(32) NOT NULL,
  caller BINARY(32) NOT NULL,
  owner BINARY(16) NOT NULL,
  begun_at DATETIME(3) NOT NULL,
  running_until DATETIME(3) NOT NULL,
  announced TINYINT NOT NULL,
  status INT,
  headers TEXT,
  body LONGBLOB,
  INDEX idempotency_keys_by_time (begun_at),
  INDEX idempotency_keys_by_caller (caller)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
