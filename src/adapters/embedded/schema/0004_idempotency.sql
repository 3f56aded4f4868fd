-- Stored answers of requests with an Idempotency-Key. id: SHA-256 of caller, method, path and key.
-- fingerprint: SHA-256 of the body. Rows are deleted 24 hours after begun_at (ms).
CREATE TABLE idempotency (
  id BLOB PRIMARY KEY,
  fingerprint BLOB NOT NULL,
  begun_at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (begun_at);
