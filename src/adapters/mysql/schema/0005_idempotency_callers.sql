-- Stored answers of requests with an Idempotency-Key, per authenticated caller. Only effects are stored, not
-- refusals. The table replaces `idempotency`, whose ids contain client addresses; nodes of the previous
-- version write that table until they are upgraded.
--
-- id: SHA-256 of caller, method, path and key. fingerprint: SHA-256 of the body. caller: SHA-256 of the
-- caller, for its quota. status NULL: the request is running. A running request whose node has died frees its
-- key after running_until, unless `announced` says that it must not run twice. owner: the attempt that is
-- running. Rows are deleted 24 hours after begun_at.
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
