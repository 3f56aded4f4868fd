-- Endpoints of webhooks, with their cursor in the event feed. `types`: a comma list, empty for all. `recent`:
-- the last deliveries, one JSON object a line. `disabled`: why it gets no events, empty while it is active.
-- One node at a time serves an endpoint: `sender` until `leased_until`; `lease` is the fence.
CREATE TABLE IF NOT EXISTS webhooks (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  url VARCHAR(2000) NOT NULL,
  types VARCHAR(4000) NOT NULL,
  rate_per_second BIGINT NOT NULL,
  description VARCHAR(500) NOT NULL,
  created_at DATETIME(3) NOT NULL,
  secret VARCHAR(200) NOT NULL,
  previous_secret VARCHAR(200) NOT NULL,
  previous_until DATETIME(3),
  after_id BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  next_attempt_at DATETIME(3),
  failing_since DATETIME(3),
  recent MEDIUMTEXT NOT NULL,
  disabled VARCHAR(20) NOT NULL,
  lease BIGINT NOT NULL DEFAULT 0,
  sender VARCHAR(64) NOT NULL DEFAULT '',
  leased_until DATETIME(3)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Events that an operator wants to be sent once more.
CREATE TABLE IF NOT EXISTS webhook_resends (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  webhook_id BIGINT NOT NULL,
  event_id BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
