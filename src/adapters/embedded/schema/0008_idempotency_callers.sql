-- Stored answers of requests with an Idempotency-Key, per authenticated caller. Only effects are stored, not
-- refusals. Older rows are dropped: their ids contain client addresses. id: SHA-256 of caller, method, path
-- and key. fingerprint: SHA-256 of the body. caller: the first 8 bytes of the caller's SHA-256. announced: 1
-- for a request of an operator: its row is written before it runs, with status 0 until it is answered. A row
-- is deleted 24 hours after begun_at (ms).
DROP TABLE idempotency;
CREATE TABLE idempotency (
  id BLOB PRIMARY KEY,
  fingerprint BLOB NOT NULL,
  caller INTEGER NOT NULL,
  announced INTEGER NOT NULL,
  begun_at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (begun_at);
