-- Points of a sale's charts; instants in milliseconds. Older points are thinned.
CREATE TABLE sale_series (
  concert_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  arrivals INTEGER NOT NULL,
  admissions INTEGER NOT NULL,
  waiting INTEGER NOT NULL,
  entered INTEGER NOT NULL,
  held INTEGER NOT NULL,
  sold INTEGER NOT NULL,
  revenue INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  declined INTEGER NOT NULL,
  PRIMARY KEY (concert_id, at)
) STRICT, WITHOUT ROWID;
