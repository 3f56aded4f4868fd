-- The phases of waiting rooms on Redis that are in the feed: one event for each.
CREATE TABLE room_phases (
  room TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  phase INTEGER NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (room, epoch, phase)
) STRICT, WITHOUT ROWID;
