-- Shared by all scripts of a room: the format of a place, and the comparison that detects lost changes.

-- The bytes of a place: the time of the last poll; the poll interval that the fan was told, in tenths of a
-- second; from byte FLAGS the flags; from ORDER its index in the order; from AT when it entered or, for a
-- waiter, when it is checked next; from NUMBER its number as text.
local FLAGS, ORDER, AT, NUMBER = 11, 12, 16, 24
local IS_ENTERED, IS_PRESENT, HAS_PASSED, HAS_ARRIVED, HAS_TURN = 1, 2, 4, 8, 16
local function place_of(user, bytes)
  local seen, tenths, flags, order, at = struct.unpack('<dI2BI4d', bytes)
  local entered, digits = flags % 2 >= IS_ENTERED, string.sub(bytes, NUMBER)
  return {user = user, number = tonumber(digits), digits = digits, order = order, seen = seen,
    tenths = tenths, entered = entered, present = flags % 4 >= IS_PRESENT, passed = flags % 8 >= HAS_PASSED,
    arrived = flags % 16 >= HAS_ARRIVED, turn = flags % 32 >= HAS_TURN,
    entered_at = entered and at or 0, look_at = entered and 0 or at}
end

-- Whether the first state of a room (epoch, changes, highest number) is older than the other.
local function knows_less(epoch, changes, number, other_epoch, other_changes, other_number)
  return epoch < other_epoch or (epoch == other_epoch and (changes < other_changes or number < other_number))
end

-- Adds the changes of one script and its waits (the number of fans by seconds) to the counts of the sale
-- report (docs/redis-keys.md). `first`: how many numbers were given before these joins. Returns an empty
-- table, for the next waits.
local function add_tally(tally, first, joined, moves, waited)
  if joined > 0 and redis.call('HINCRBY', tally, 'arrivals', joined) == joined then
    redis.call('HSET', tally, 'from', string.format('%d', first))
  end
  local names = {['>'] = 'admitted', n = 'no_shows', t = 'no_shows'}
  local sums = {}
  for i = 1, #moves, 3 do
    local name = names[moves[i]]
    if name then sums[name] = (sums[name] or 0) + moves[i + 2] end
  end
  for seconds, fans in pairs(waited) do sums[string.format('waited:%d', seconds)] = fans end
  for name, fans in pairs(sums) do redis.call('HINCRBY', tally, name, fans) end
  return {}
end
