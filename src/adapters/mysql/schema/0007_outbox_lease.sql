-- A relay leases the outbox of a concert: `lease` counts the leases, and fences the end of an older one. A
-- table of its own: nodes of the version before go on using `outbox_turns` until they are replaced.
CREATE TABLE IF NOT EXISTS outbox_leases (
  concert_id BIGINT NOT NULL PRIMARY KEY,
  lease BIGINT NOT NULL DEFAULT 0,
  leased_until DATETIME(3)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO outbox_leases (concert_id) SELECT concert_id FROM outbox_turns;
