-- Posters of concerts: the picture itself, and narrower copies of it with the same version.
CREATE TABLE posters (
  concert_id INTEGER NOT NULL REFERENCES concerts (id),
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  version TEXT NOT NULL,
  type TEXT NOT NULL,
  picture BLOB NOT NULL,
  PRIMARY KEY (concert_id, width)
) STRICT;
