-- Puts sold-outs of one kind on all their boards, with the scores of the arguments.
-- KEYS: state, windows, then boards.
-- ARGV: for each sold-out: number of boards, and for each board: index of its key, score, member, expiry (ms;
--   0: never), cap (0: none), name of the window, day after the window (0: it never ends).
-- Returns for each sold-out: 0 its boards had it; 1 no board had it; 2 a board lacked it or had another score.
local call = redis.call
local state, windows = KEYS[1], KEYS[2]

-- Removes rows beyond the cap, but never splits a group of equal scores.
local function trim(board, cap)
  local last = call('ZRANGE', board, cap - 1, cap - 1, 'WITHSCORES')
  if last[2] then call('ZREMRANGEBYSCORE', board, '(' .. last[2], '+inf') end
end

-- The scores of the row before and after; false: not on the board.
local function rank(at)
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
  local boards, known, differs = tonumber(ARGV[at]), false, false
  at = at + 1
  for _ = 1, boards do
    local before, after = rank(at)
    known = known or before
    differs = differs or before ~= after
    at = at + 7
  end
  results[#results + 1] = differs and (known and 2 or 1) or 0
  changed = changed or differs
end
if changed then call('HINCRBY', state, 'changes', 1) end
return results
