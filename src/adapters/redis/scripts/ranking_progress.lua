-- Adds the seats of reservations and releases to all their boards, and counts each event once.
-- KEYS: state, applied events, dates of schedules, fence, then for each window its board and its exact set
--   (the rows of the board in their exact order).
-- ARGV: number of remembered event ids, then for each event: id, schedule, date, seats, number of boards, and
--   for each board: index of its key, member, sort text, expiry (ms; 0: never).
-- Returns the number of events counted now; -1 while a rebuild holds the fence.
local call = redis.call
local state, applied, dates, limit = KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1])
if call('EXISTS', KEYS[4]) == 1 then return -1 end
local floor = tonumber(call('HGET', state, 'floor') or 0)

-- Most seats first, then the smaller sort text (ranking_progress_read.lua builds the same).
local function order(count, sort, member)
  return string.format('%016.0f', 9007199254740991 - count) .. sort .. '|' .. member
end
-- A release may arrive before its reservation: the count is then negative on the board and absent from the
-- exact set. The exact set is updated only while it exists: ranking_progress_read.lua builds it for a reader.
local function change(at, seats)
  local key, member, sort, expires = tonumber(ARGV[at]), ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local board, exact = KEYS[key], KEYS[key + 1]
  local before = tonumber(call('ZSCORE', board, member) or 0)
  local now = before + seats
  if call('EXISTS', exact) == 1 then
    if now > 0 then call('ZADD', exact, 0, order(now, sort, member)) end
    if before > 0 and seats ~= 0 then call('ZREM', exact, order(before, sort, member)) end
  end
  if now == 0 then call('ZREM', board, member) else call('ZADD', board, now, member) end
  if expires ~= '0' then call('PEXPIREAT', board, expires) end
end

local counted, at = 0, 2
while at <= #ARGV do
  local id, boards = tonumber(ARGV[at]), tonumber(ARGV[at + 4])
  if id > floor and call('ZADD', applied, 'NX', id, ARGV[at]) == 1 then
    call('HSET', dates, ARGV[at + 1], ARGV[at + 2])
    for b = 0, boards - 1 do change(at + 5 + b * 4, tonumber(ARGV[at + 3])) end
    counted = counted + 1
  end
  at = at + 5 + boards * 4
end
-- Event ids arrive nearly in order. Ids up to `floor` count as applied; above it, the set `applied` decides.
local over = call('ZCARD', applied) - limit
if over > 0 then
  local last = call('ZRANGE', applied, over - 1, over - 1)
  call('ZREMRANGEBYRANK', applied, 0, over - 1)
  call('HSET', state, 'floor', last[1])
end
if counted > 0 then call('HINCRBY', state, 'progress', 1) end
return counted
