-- Concerts, seats, reservations, payments, outbox: the tables of the embedded store, with the seats as rows
-- of their own, because here the row decides. Instants in UTC, to the millisecond. Locks are taken in one
-- order: buyers, reservations and payments, seats, seat_counts, schedules, concerts, audit_head; within a
-- table by key.
CREATE TABLE IF NOT EXISTS concerts (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  token BINARY(16) NOT NULL,
  title VARCHAR(1024) NOT NULL,
  artist VARCHAR(1024) NOT NULL,
  venue VARCHAR(1024) NOT NULL,
  price BIGINT NOT NULL,
  booking_open_at DATETIME(3),
  hold_seconds BIGINT NOT NULL,
  room ENUM('own', 'main', 'none') NOT NULL,
  max_seats_per_user INT NOT NULL,
  max_seats_per_date INT NOT NULL,
  cooldown_seconds BIGINT NOT NULL,
  status ENUM('ACTIVE', 'CLOSED', 'CANCELLED') NOT NULL DEFAULT 'ACTIVE',
  created_at DATETIME(3) NOT NULL,
  sold_out_at DATETIME(3),
  open_schedules INT NOT NULL DEFAULT 0 CHECK (open_schedules >= 0),
  version BIGINT NOT NULL DEFAULT 1,
  UNIQUE KEY concerts_by_token (token)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- open_shards: shards of the date (rows of seat_counts) with an unpaid seat; at 0 the date is sold out.
-- concerts.open_schedules: dates with such shards; at 0 the concert is sold out. Only a payment that closes a
-- shard changes these rows.
CREATE TABLE IF NOT EXISTS schedules (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  concert_id BIGINT NOT NULL,
  token BINARY(16) NOT NULL,
  concert_date DATE NOT NULL,
  starts_at DATETIME(3),
  booking_open_at DATETIME(3),
  status ENUM('ACTIVE', 'CANCELLED') NOT NULL DEFAULT 'ACTIVE',
  created_at DATETIME(3) NOT NULL,
  sold_out_at DATETIME(3),
  for_sale INT NOT NULL,
  open_shards INT NOT NULL CHECK (open_shards >= 0),
  INDEX schedules_by_concert (concert_id),
  INDEX schedules_by_token (token),
  FOREIGN KEY (concert_id) REFERENCES concerts (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Seats are numbered from 1 over the sections of a schedule, in the order of `ordinal`, row by row.
CREATE TABLE IF NOT EXISTS sections (
  schedule_id BIGINT NOT NULL,
  ordinal INT NOT NULL,
  name VARCHAR(1024) NOT NULL,
  price BIGINT NOT NULL,
  row_count INT NOT NULL,
  seats_per_row INT NOT NULL,
  row_lengths LONGTEXT,
  PRIMARY KEY (schedule_id, ordinal)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- A seat belongs to the reservation that its row names.
CREATE TABLE IF NOT EXISTS seats (
  schedule_id BIGINT NOT NULL,
  number INT NOT NULL,
  state ENUM('AVAILABLE', 'HELD', 'ASSIGNED', 'BLOCKED') NOT NULL,
  wheelchair TINYINT NOT NULL DEFAULT 0,
  reservation_number BIGINT,
  PRIMARY KEY (schedule_id, number),
  CHECK ((reservation_number IS NULL) = (state IN ('AVAILABLE', 'BLOCKED')))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- How many seats of each state a group of neighbouring seats has. Small groups keep thousands of payments a
-- second off one row; the sum is exact, because a group's row changes in the transaction of its seats.
-- `version` grows with every change; `mark` carries version and unpaid seats back to the statement that
-- changed them. `closed`: the date or its concert is closed or cancelled; a hold finds that in the row it
-- must change anyway, whatever its node knew.
CREATE TABLE IF NOT EXISTS seat_counts (
  schedule_id BIGINT NOT NULL,
  shard INT NOT NULL,
  concert_id BIGINT NOT NULL,
  first_number INT NOT NULL,
  last_number INT NOT NULL,
  available INT NOT NULL CHECK (available >= 0),
  held INT NOT NULL CHECK (held >= 0),
  assigned INT NOT NULL CHECK (assigned >= 0),
  blocked INT NOT NULL CHECK (blocked >= 0),
  last_paid_at DATETIME(3),
  closed TINYINT NOT NULL DEFAULT 0,
  version BIGINT NOT NULL DEFAULT 1,
  mark BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (schedule_id, shard),
  INDEX seat_counts_by_concert (concert_id),
  CHECK (available + held + assigned + blocked = last_number - first_number + 1)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- `due_at` is the deadline of an unpaid reservation, and empty afterwards.
CREATE TABLE IF NOT EXISTS reservations (
  number BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  id BINARY(16) NOT NULL,
  concert_id BIGINT NOT NULL,
  schedule_id BIGINT NOT NULL,
  user_id VARCHAR(128) NOT NULL,
  seats LONGTEXT NOT NULL,
  seat_count INT NOT NULL,
  amount BIGINT NOT NULL,
  status ENUM('HELD', 'PAYING', 'CONFIRMED', 'CANCELLED', 'EXPIRED', 'REFUNDED') NOT NULL,
  held_at DATETIME(3) NOT NULL,
  expires_at DATETIME(3) NOT NULL,
  paid_at DATETIME(3),
  ended_at DATETIME(3),
  due_at DATETIME(3),
  hold_ver INT NOT NULL DEFAULT 1,
  extended TINYINT NOT NULL DEFAULT 0,
  schedule_sold_out TINYINT NOT NULL DEFAULT 0,
  concert_sold_out TINYINT NOT NULL DEFAULT 0,
  idempotency_key VARCHAR(255),
  UNIQUE KEY reservations_by_id (id),
  UNIQUE KEY reservations_by_key (concert_id, user_id, idempotency_key),
  INDEX reservations_by_deadline (due_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- `captured_for` is the reservation whose seats this money bought: money buys a reservation once.
CREATE TABLE IF NOT EXISTS payments (
  number BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  id BINARY(16) NOT NULL,
  reservation_number BIGINT NOT NULL,
  amount BIGINT NOT NULL,
  status ENUM('PENDING', 'CAPTURED', 'FAILED', 'REFUND_DUE', 'REFUNDED') NOT NULL,
  provider VARCHAR(64) NOT NULL,
  method VARCHAR(255) NOT NULL,
  created_at DATETIME(3) NOT NULL,
  settled_at DATETIME(3),
  hold_ver INT NOT NULL,
  captured_for BIGINT,
  unsettled_since DATETIME(3),
  UNIQUE KEY payments_by_id (id),
  UNIQUE KEY payments_captured (captured_for),
  INDEX payments_by_reservation (reservation_number),
  INDEX payments_unsettled (unsettled_since)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- One row per customer of a concert with limits: its lock serialises the holds of one customer.
CREATE TABLE IF NOT EXISTS buyers (
  concert_id BIGINT NOT NULL,
  user_id VARCHAR(128) NOT NULL,
  PRIMARY KEY (concert_id, user_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Events for other systems, written in the transaction that made them true.
CREATE TABLE IF NOT EXISTS outbox (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  kind VARCHAR(32) NOT NULL,
  concert_id BIGINT NOT NULL,
  at DATETIME(3) NOT NULL,
  payload LONGTEXT NOT NULL,
  INDEX outbox_by_concert (concert_id, id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Used until schema 6: a relay locked the row of a concert to apply its outbox.
CREATE TABLE IF NOT EXISTS outbox_turns (
  concert_id BIGINT NOT NULL PRIMARY KEY
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Cancelled dates with living reservations; those up to done_number have ended.
CREATE TABLE IF NOT EXISTS cancellations (
  schedule_id BIGINT NOT NULL PRIMARY KEY,
  concert_id BIGINT NOT NULL,
  done_number BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The last time a node reached this database, by the database's clock. After an outage the deadlines of holds
-- move by its length.
CREATE TABLE IF NOT EXISTS pulse (
  one TINYINT NOT NULL PRIMARY KEY,
  alive_at DATETIME(3)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT IGNORE INTO pulse (one, alive_at) VALUES (1, NULL);

-- Every start of a node takes a number. Versions of seat maps contain it, so that a node recognises its own.
CREATE TABLE IF NOT EXISTS nodes (
  number BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  started_at DATETIME(3) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
