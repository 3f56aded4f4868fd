-- Signing keys that all nodes share: a token of one is valid on every other. The highest number whose time
-- has come signs; all verify. A new key waits until every node has read it before it signs.
CREATE TABLE IF NOT EXISTS signing_keys (
  number INT NOT NULL PRIMARY KEY,
  mac VARCHAR(64) NOT NULL,
  pass TEXT NOT NULL,
  created_at DATETIME(3) NOT NULL,
  signs_at DATETIME(3) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
