-- Concerts, seats, reservations, payments, outbox. Instants in milliseconds since 1970, UTC; dates as
-- YYYY-MM-DD.
CREATE TABLE concerts (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  artist TEXT NOT NULL,
  venue TEXT NOT NULL,
  price INTEGER NOT NULL,
  booking_open_at INTEGER,
  hold_seconds INTEGER NOT NULL,
  room TEXT NOT NULL CHECK (room IN ('own', 'main', 'none')),
  max_seats_per_user INTEGER NOT NULL,
  max_seats_per_date INTEGER NOT NULL,
  cooldown_seconds INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'CLOSED', 'CANCELLED')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE schedules (
  id INTEGER PRIMARY KEY,
  concert_id INTEGER NOT NULL REFERENCES concerts (id),
  concert_date TEXT NOT NULL,
  starts_at INTEGER,
  booking_open_at INTEGER,
  status TEXT NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'CANCELLED')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX schedules_by_concert ON schedules (concert_id);

-- Seats are numbered from 1 over the sections of a schedule, in the order of `ordinal`, row by row.
CREATE TABLE sections (
  schedule_id INTEGER NOT NULL REFERENCES schedules (id),
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  price INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  seats_per_row INTEGER NOT NULL,
  row_lengths TEXT,  -- JSON array where rows differ in length; then `seats_per_row` is 0
  PRIMARY KEY (schedule_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE special_seats (
  schedule_id INTEGER NOT NULL REFERENCES schedules (id),
  number INTEGER NOT NULL,
  blocked INTEGER NOT NULL DEFAULT 0,
  wheelchair INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (schedule_id, number)
) STRICT, WITHOUT ROWID;

-- A seat is HELD or ASSIGNED while a living reservation contains it (view taken_seats); other seats are
-- AVAILABLE, or BLOCKED in special_seats. There is no index of reservation ids: the server finds reservations
-- in memory, and appending rows touches fewer pages.
CREATE TABLE reservations (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  concert_id INTEGER NOT NULL,
  schedule_id INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  seats TEXT NOT NULL,  -- JSON array of numbers
  amount INTEGER NOT NULL,
  -- No IN here and in payments: SQLite would build a temporary table of the list for every written row.
  status TEXT NOT NULL CHECK (status = 'HELD' OR status = 'PAYING' OR status = 'CONFIRMED' OR
                              status = 'CANCELLED' OR status = 'EXPIRED' OR status = 'REFUNDED'),
  held_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  paid_at INTEGER,
  ended_at INTEGER,
  hold_ver INTEGER NOT NULL DEFAULT 1,
  extended INTEGER NOT NULL DEFAULT 0,
  schedule_sold_out INTEGER NOT NULL DEFAULT 0,  -- its payment sold the last seat of the schedule,
  concert_sold_out INTEGER NOT NULL DEFAULT 0,   -- and of the concert
  idempotency_key TEXT
) STRICT;

CREATE VIEW taken_seats AS
  SELECT r.schedule_id, s.value AS number,
         CASE r.status WHEN 'CONFIRMED' THEN 'ASSIGNED' ELSE 'HELD' END AS status,
         r.id AS reservation_id, r.user_id
  FROM reservations r, json_each(r.seats) s WHERE r.status IN ('HELD', 'PAYING', 'CONFIRMED');

CREATE TABLE payments (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  reservation_number INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status = 'PENDING' OR status = 'CAPTURED' OR status = 'FAILED' OR
                              status = 'REFUND_DUE' OR status = 'REFUNDED'),
  provider TEXT NOT NULL,
  method TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  hold_ver INTEGER NOT NULL
) STRICT;

-- Events for other systems, written in the transaction that made them true. `id` is the event's id and
-- increases.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  concert_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  payload TEXT NOT NULL  -- JSON
) STRICT;

-- Event ids below `next_event` may have been used. Reserved in blocks, so that most events write no row here.
CREATE TABLE booking_counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
