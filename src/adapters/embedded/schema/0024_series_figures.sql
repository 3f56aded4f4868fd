-- Of a sale's charts: holds that expired since the concert was created, and the 99th percentile of the answer
-- times in microseconds (0: not measured).
ALTER TABLE sale_series ADD COLUMN expired INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sale_series ADD COLUMN p99_us INTEGER NOT NULL DEFAULT 0;
