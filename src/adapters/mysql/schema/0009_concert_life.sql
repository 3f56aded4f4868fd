-- The life of a concert. `life` grows with every change that the waiting room has to follow. `sales_end_at`:
-- as the operator named it; NULL: at starts_at, or at day_ends_at (the end of the day in the server's zone).
ALTER TABLE concerts
  ADD COLUMN listed TINYINT NOT NULL DEFAULT 1,
  ADD COLUMN ranked TINYINT NOT NULL DEFAULT 1,
  ADD COLUMN life BIGINT NOT NULL DEFAULT 1;
-- previous_date, postponed_at: the last postponement, the date before it and when it was decided.
ALTER TABLE schedules
  ADD COLUMN sales_end_at DATETIME(3),
  ADD COLUMN day_ends_at DATETIME(3),
  ADD COLUMN previous_date DATE,
  ADD COLUMN postponed_at DATETIME(3);
-- 'expired', 'customer', 'operator', 'cancelled'; NULL: it has not ended, or before reasons were stored.
ALTER TABLE reservations ADD COLUMN end_reason VARCHAR(16);
-- Sell-outs that an operator removed from every board. Sell-outs of cancelled concerts, and of concerts with
-- `ranked` = 0, are on no board either.
CREATE TABLE IF NOT EXISTS sold_out_removals (
  concert_id BIGINT NOT NULL PRIMARY KEY,
  removed_at DATETIME(3) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
