-- The life of a concert. `life` grows with every change that the waiting room has to follow. `sales_end_at`:
-- as the operator named it; NULL: at starts_at, or at day_ends_at (the end of the day in the server's zone).
ALTER TABLE concerts ADD COLUMN listed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE concerts ADD COLUMN ranked INTEGER NOT NULL DEFAULT 1;
ALTER TABLE concerts ADD COLUMN life INTEGER NOT NULL DEFAULT 1;
ALTER TABLE schedules ADD COLUMN sales_end_at INTEGER;
ALTER TABLE schedules ADD COLUMN day_ends_at INTEGER;
-- The last postponement: the date before it, and when it was decided.
ALTER TABLE schedules ADD COLUMN previous_date TEXT;
ALTER TABLE schedules ADD COLUMN postponed_at INTEGER;
-- What a room follows of its concert: `followed` is the concert's `life`.
ALTER TABLE room ADD COLUMN pre_queue_order TEXT NOT NULL DEFAULT 'draw';
ALTER TABLE room ADD COLUMN followed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE room ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
-- 'expired', 'customer', 'operator', 'cancelled'; NULL: it has not ended, or before reasons were stored.
ALTER TABLE reservations ADD COLUMN end_reason TEXT;
-- Sell-outs that an operator removed from every board. Sell-outs of cancelled concerts, and of concerts with
-- `ranked` = 0, are on no board either.
CREATE TABLE sold_out_removals (
  concert_id INTEGER PRIMARY KEY,
  removed_at INTEGER NOT NULL
) STRICT;
