-- The limits up to which a room rests: "arrivals entered", "-" for none; empty: it never rests.
ALTER TABLE room ADD COLUMN standby TEXT NOT NULL DEFAULT '';
