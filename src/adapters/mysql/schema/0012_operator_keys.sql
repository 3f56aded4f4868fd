-- Operators' keys with their roles. `digest` is the SHA-256 of the key; the key itself is stored nowhere.
CREATE TABLE IF NOT EXISTS operator_keys (
  id VARCHAR(32) NOT NULL PRIMARY KEY,
  name VARCHAR(100) NOT NULL,
  role VARCHAR(20) NOT NULL,
  digest BINARY(32) NOT NULL,
  created_at DATETIME(3) NOT NULL,
  expires_at DATETIME(3) NULL,
  UNIQUE KEY operator_keys_by_digest (digest)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
