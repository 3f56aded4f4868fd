-- Endpoints of webhooks, with their cursor in the event feed. `types`: a comma list, empty for all. `recent`:
-- the last deliveries, one JSON object a line. `disabled`: why it gets no events, empty while it is active.
-- Instants in milliseconds.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  rate_per_second INTEGER NOT NULL,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  secret TEXT NOT NULL,
  previous_secret TEXT NOT NULL,
  previous_until INTEGER,
  after_id INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER,
  failing_since INTEGER,
  recent TEXT NOT NULL,
  disabled TEXT NOT NULL
) STRICT;

-- Events that an operator wants to be sent once more.
CREATE TABLE webhook_resends (
  id INTEGER PRIMARY KEY,
  webhook_id INTEGER NOT NULL,
  event_id INTEGER NOT NULL
) STRICT;
