-- What was named of a concert's room with the concert: the order of its pre-queue ('draw', 'arrival') and the
-- time at which it begins (NULL: the default). *_life: the concert's `life` that named it; 0: never. A room
-- that followed an earlier life takes the value.
ALTER TABLE concerts
  ADD COLUMN pre_queue_order VARCHAR(16),
  ADD COLUMN pre_queue_order_life BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN pre_queue_at DATETIME(3),
  ADD COLUMN pre_queue_at_life BIGINT NOT NULL DEFAULT 0;
