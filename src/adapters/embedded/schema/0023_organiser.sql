-- The organiser of a concert: its name (NULL: the server's), and its logo, stored as posters are.
ALTER TABLE concerts ADD COLUMN organizer TEXT;
CREATE TABLE logos (
  concert_id INTEGER NOT NULL REFERENCES concerts (id),
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  version TEXT NOT NULL,
  type TEXT NOT NULL,
  picture BLOB NOT NULL,
  PRIMARY KEY (concert_id, width)
) STRICT;
