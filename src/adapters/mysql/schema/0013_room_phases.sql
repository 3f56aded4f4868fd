-- The phases of waiting rooms that are in the feed: one event for each, whichever node records it.
CREATE TABLE IF NOT EXISTS room_phases (
  room VARBINARY(512) NOT NULL,
  epoch BIGINT NOT NULL,
  phase BIGINT NOT NULL,
  state VARCHAR(16) NOT NULL,
  PRIMARY KEY (room, epoch, phase)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
