-- Leases of the outbox, one row per concert. lease: counts the leases, so that an older lease cannot end a
-- newer one. The table replaces `outbox_turns`, which nodes of the previous version use until they are
-- upgraded.
CREATE TABLE IF NOT EXISTS outbox_leases (
  concert_id BIGINT NOT NULL PRIMARY KEY,
  lease BIGINT NOT NULL DEFAULT 0,
  leased_until DATETIME(3)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO outbox_leases (concert_id) SELECT concert_id FROM outbox_turns;
