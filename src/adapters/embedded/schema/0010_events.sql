-- The event feed. One row has the events of one commit, so that a sale writes few rows: `body` is one JSON
-- object a line, {id, type, time, subject, data}, ids first_id … last_id. Ids have no gaps. Instants in
-- milliseconds. The outbox had no reader, and its facts are events now.
CREATE TABLE events (
  first_id INTEGER PRIMARY KEY,
  last_id INTEGER NOT NULL,
  written_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- The feed has the opening of these concerts: a restarted server does not repeat it.
CREATE TABLE concert_openings (
  concert_id INTEGER PRIMARY KEY
) STRICT;
INSERT INTO concert_openings SELECT id FROM concerts WHERE booking_open_at <= unixepoch() * 1000;

DROP TABLE outbox;
