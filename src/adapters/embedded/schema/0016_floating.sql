-- The range in which the rate of a room follows its site: "min max address"; empty: it does not.
ALTER TABLE room ADD COLUMN floating TEXT NOT NULL DEFAULT '';
