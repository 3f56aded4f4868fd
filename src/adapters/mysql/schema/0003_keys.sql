-- Signing keys that all nodes share: every node accepts the tokens of the others. The highest number whose
-- signs_at has passed signs; all verify. A new key signs after every node has read it.
CREATE TABLE IF NOT EXISTS signing_keys (
  number INT NOT NULL PRIMARY KEY,
  mac VARCHAR(64) NOT NULL,
  pass TEXT NOT NULL,
  created_at DATETIME(3) NOT NULL,
  signs_at DATETIME(3) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
