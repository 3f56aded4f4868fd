-- Sell-outs: the source of every ranking. Rows are permanent: the first sell-out of an id stands. Written in
-- the transaction of the payment that sold the last seat, or by an import. Instants in UTC, to the
-- millisecond.
CREATE TABLE IF NOT EXISTS sold_out_concerts (
  concert_id BIGINT NOT NULL PRIMARY KEY,
  title VARCHAR(1024) NOT NULL,
  artist VARCHAR(1024) NOT NULL,
  venue VARCHAR(1024) NOT NULL,
  dates BIGINT NOT NULL CHECK (dates > 0),
  seats BIGINT NOT NULL CHECK (seats > 0),
  booking_open_at DATETIME(3) NOT NULL,
  sold_out_at DATETIME(3) NOT NULL,
  CHECK (sold_out_at >= booking_open_at),
  INDEX sold_out_concerts_by_time (sold_out_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS sold_out_schedules (
  schedule_id BIGINT NOT NULL PRIMARY KEY,
  concert_id BIGINT NOT NULL,
  concert_date DATE NOT NULL,
  seats BIGINT NOT NULL CHECK (seats > 0),
  started_at DATETIME(3) NOT NULL,
  sold_out_at DATETIME(3) NOT NULL,
  CHECK (sold_out_at >= started_at),
  INDEX sold_out_schedules_by_time (sold_out_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
