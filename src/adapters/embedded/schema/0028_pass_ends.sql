-- The latest end of a pass that was given before the room's session limit was lowered. NULL: it was not.
ALTER TABLE place ADD COLUMN pass_ends_at INTEGER;
