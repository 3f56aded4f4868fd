-- Signing keys that all nodes share: a token of one is valid on every other. The highest number signs; older ones still verify.
CREATE TABLE IF NOT EXISTS signing_keys (
  number INT NOT NULL PRIMARY KEY,
  mac VARCHAR(64) NOT NULL,
  pass TEXT NOT NULL,
  created_at DATETIME(3) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
