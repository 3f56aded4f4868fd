-- Waiting rooms. Times are milliseconds since 1970 (UTC).
CREATE TABLE room (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,              -- the concert's id, or 'main'
  epoch INTEGER NOT NULL,
  state TEXT NOT NULL,
  last_number INTEGER NOT NULL DEFAULT 0, -- at least this many numbers were handed out; see place
  serving INTEGER NOT NULL DEFAULT 0,
  capacity INTEGER NOT NULL,
  admission TEXT NOT NULL,
  rate_per_minute INTEGER,
  token_ttl_seconds INTEGER NOT NULL,
  session_limit_seconds INTEGER NOT NULL,
  turn_seconds INTEGER NOT NULL,
  grace_seconds INTEGER NOT NULL,
  admit_interval_ms INTEGER NOT NULL,
  release_on_payment INTEGER NOT NULL,
  draining INTEGER NOT NULL,
  joins_per_address_per_minute INTEGER,
  pre_queue_at INTEGER,
  opens_at INTEGER,
  closes_at INTEGER,
  notice TEXT NOT NULL
) STRICT;

-- The places of fans that wait or are inside. A place that ends is deleted.
CREATE TABLE place (
  room INTEGER NOT NULL,
  number INTEGER NOT NULL,
  user TEXT NOT NULL,
  joined_at INTEGER NOT NULL,
  entered_at INTEGER,                     -- NULL: the fan waits
  PRIMARY KEY (room, number)
) STRICT, WITHOUT ROWID;

-- The draws of pre-queues: the numbers first … first + count - 1 are shuffled with the seed.
CREATE TABLE draw (
  room INTEGER NOT NULL,
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  seed BLOB NOT NULL,
  order_digest TEXT NOT NULL,             -- '' until the opening
  PRIMARY KEY (room, first)
) STRICT, WITHOUT ROWID;

-- The actions of operators. hash: SHA-256 over the previous row's hash and this row, so that a changed or
-- removed row is detected.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
