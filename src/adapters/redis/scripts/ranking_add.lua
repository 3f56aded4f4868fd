-- Puts sold-outs of one kind on all their boards, with the scores of the arguments. Some boards are built at
-- their first read; the script skips them until then.
-- KEYS: state, windows, then boards.
-- ARGV: for each sold-out: number of boards, and for each board: index of its key, score, member, expiry (ms;
--   0: never), cap (0: none), name of the window, day after the window (0: it never ends), field of the state
--   that tells whether the board is built (empty: it always is).
-- Returns for each sold-out: 0: no board changed; 1: it is new on its boards; 2: a board had it, and a board
--   lacked it or had another score.
local call = redis.call
local state, windows = KEYS[1], KEYS[2]

-- Removes rows beyond the cap of the composite board, but never splits a group of equal scores. The score has
-- the number of dates in two digits, 00 from a hundred dates on. Rows of equal seconds with 00 are one group,
-- because their order follows the number of dates.
local function trim(board, cap)
  local last = call('ZRANGE', board, cap - 1, cap - 1, 'WITHSCORES')[2]
  if not last then return end
  local seconds_and_dates = math.floor(tonumber(last) / 1e10)
  if seconds_and_dates % 100 == 0 then
    call('ZREMRANGEBYSCORE', board, string.format('%.0f', (seconds_and_dates + 1) * 1e10), '+inf')
  else
    call('ZREMRANGEBYSCORE', board, '(' .. last, '+inf')
  end
end

-- Writes a row to its board. Returns the row's score before and after (false: not on the board), and true if
-- the board is not built yet.
local function rank(at)
  local field = ARGV[at + 7]
  if field ~= '' and call('HGET', state, field) ~= '1' then return false, false, true end
  local board, score, member = KEYS[tonumber(ARGV[at])], ARGV[at + 1], ARGV[at + 2]
  local expires, cap = ARGV[at + 3], tonumber(ARGV[at + 4])
  local before = call('ZSCORE', board, member)
  call('ZADD', board, score, member)
  if cap > 0 then trim(board, cap) end
  if expires ~= '0' then call('PEXPIREAT', board, expires) end
  if ARGV[at + 6] ~= '0' then call('ZADD', windows, ARGV[at + 6], ARGV[at + 5]) end
  return before, call('ZSCORE', board, member)
end

local results, at, changed = {}, 1, false
while at <= #ARGV do
  local boards, known, differs, left_out = tonumber(ARGV[at]), false, false, 0
  at = at + 1
  for _ = 1, boards do
    local before, after, unbuilt = rank(at)
    known = known or before
    differs = differs or before ~= after
    if unbuilt then left_out = left_out + 1 end
    at = at + 8
  end
  results[#results + 1] = differs and (known and 2 or 1) or 0
  -- A build in progress must notice the row: ranking_build.lua compares `changes`.
  changed = changed or differs or (boards > 0 and left_out == boards)
end
if changed then call('HINCRBY', state, 'changes', 1) end
return results
