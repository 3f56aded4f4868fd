-- The colour of a concert's pages: '#rrggbb'; NULL: the server's.
ALTER TABLE concerts ADD COLUMN color VARCHAR(7);
