-- Sell-outs: the source of every ranking. Rows are permanent: the first sell-out of an id stands. Written in
-- the transaction of the payment that sold the last seat, or by an import. Instants in milliseconds.
CREATE TABLE sold_out_concerts (
  concert_id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  artist TEXT NOT NULL,
  venue TEXT NOT NULL,
  dates INTEGER NOT NULL CHECK (dates > 0),
  seats INTEGER NOT NULL CHECK (seats > 0),
  booking_open_at INTEGER NOT NULL,
  sold_out_at INTEGER NOT NULL CHECK (sold_out_at >= booking_open_at)
) STRICT;
CREATE INDEX sold_out_concerts_by_time ON sold_out_concerts (sold_out_at);

CREATE TABLE sold_out_schedules (
  schedule_id INTEGER PRIMARY KEY,
  concert_id INTEGER NOT NULL,
  concert_date TEXT NOT NULL,
  seats INTEGER NOT NULL CHECK (seats > 0),
  started_at INTEGER NOT NULL,
  sold_out_at INTEGER NOT NULL CHECK (sold_out_at >= started_at)
) STRICT;
CREATE INDEX sold_out_schedules_by_time ON sold_out_schedules (sold_out_at);

-- Settings of the rankings, such as the day before which boards were pruned (days since 1970-01-01).
CREATE TABLE ranking_settings (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT;
