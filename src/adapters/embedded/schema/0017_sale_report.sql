-- Counts for the sale report. Instants in milliseconds. `counted_from`: the numbers that the room had given
-- when the counts began; 0: every place is counted. `opened_at`: the last opening of the pre-queue.
CREATE TABLE room_tally (
  room INTEGER PRIMARY KEY,
  counted_from INTEGER NOT NULL,
  opened_at INTEGER,
  no_shows INTEGER NOT NULL
) STRICT;
INSERT INTO room_tally
  SELECT id, max(last_number, coalesce((SELECT max(number) FROM place WHERE place.room = room.id), 0)),
         NULL, 0
  FROM room;

-- Admitted fans by the whole seconds that they waited, from joining or from the opening, whichever was later.
CREATE TABLE room_waits (
  room INTEGER NOT NULL,
  seconds INTEGER NOT NULL,
  fans INTEGER NOT NULL,
  PRIMARY KEY (room, seconds)
) STRICT, WITHOUT ROWID;

-- Refused holds of a concert, by the code of the refusal. A crash loses those of the last second.
CREATE TABLE refusals (
  concert_id INTEGER NOT NULL,
  code TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (concert_id, code)
) STRICT, WITHOUT ROWID;
