-- Shared by all scripts of a room: the format of a place, and the comparison that detects lost changes.

-- A place: time of the last poll, promised interval and flags; from ORDER its position in the order, from AT
-- when it entered or (a waiter) is checked next, from NUMBER its number as text.
local FLAGS, ORDER, AT, NUMBER = 11, 12, 16, 24
local IS_ENTERED, IS_PRESENT, HAS_PASSED, HAS_ARRIVED, HAS_TURN = 1, 2, 4, 8, 16
local function place_of(user, bytes)
  local seen, tenths, flags, order, at = struct.unpack('<dI2BI4d', bytes)
  local entered = flags % 2 >= IS_ENTERED
  return {user = user, number = tonumber(string.sub(bytes, NUMBER)), order = order, seen = seen,
    tenths = tenths, entered = entered, present = flags % 4 >= IS_PRESENT, passed = flags % 8 >= HAS_PASSED,
    arrived = flags % 16 >= HAS_ARRIVED, turn = flags % 32 >= HAS_TURN,
    entered_at = entered and at or 0, look_at = entered and 0 or at}
end

-- Whether the first state of a room (epoch, changes, highest number) is older than the other.
local function knows_less(epoch, changes, number, other_epoch, other_changes, other_number)
  return epoch < other_epoch or (epoch == other_epoch and (changes < other_changes or number < other_number))
end
