-- Settings of the same epoch replace those with a lower or equal version. 0: saved before this column.
ALTER TABLE shared_rooms
  ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
