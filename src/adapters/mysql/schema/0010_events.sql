-- The event feed. A transition adds its events in its own transaction, without `id`; the node that has
-- `event_head` locked then gives ids to committed events, from 1 without gaps. `number` only orders events
-- that are committed together: transactions that follow each other have ascending numbers.
CREATE TABLE IF NOT EXISTS events (
  number BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  id BIGINT,
  type VARCHAR(64) NOT NULL,
  at DATETIME(3) NOT NULL,
  subject VARBINARY(1024) NOT NULL,
  data LONGTEXT NOT NULL,
  UNIQUE KEY events_by_id (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS event_head (
  one TINYINT NOT NULL PRIMARY KEY,
  last_id BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO event_head (one, last_id) VALUES (1, 0);

-- The feed has the opening of these concerts: a restarted server does not repeat it.
CREATE TABLE IF NOT EXISTS concert_openings (
  concert_id BIGINT NOT NULL PRIMARY KEY
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO concert_openings SELECT id FROM concerts WHERE booking_open_at <= UTC_TIMESTAMP(3);
