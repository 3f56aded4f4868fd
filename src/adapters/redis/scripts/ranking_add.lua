-- Adds sold-outs of one kind to all their boards. The first sell-out of an id stands.
-- KEYS: state, details, windows, then for each window its board and its exact set.
-- ARGV: '1' to repair, then for each sold-out: id, detail, number of boards, and for each board: index of its
--   key, score, member, exact order, expiry (ms; 0: never), cap (0: none), name of the window, day after the
--   window.
-- Returns for each sold-out: 1 added; 0 known; 2 known, and added to a board that lacked it; or the stored
--   detail where a repair finds another one than the argument.
local call = redis.call
local state, details, windows, repair = KEYS[1], KEYS[2], KEYS[3], ARGV[1] == '1'

-- Removes rows beyond the cap, but never splits a group of equal scores.
local function trim(board, exact, cap)
  if call('ZCARD', exact) <= cap then return end
  local rest = call('ZRANGE', exact, cap - 1, -1)
  local edge
  for i, order in ipairs(rest) do
    local member = string.match(order, '|(.*)$')
    local score = call('ZSCORE', board, member)
    if i == 1 then edge = score end
    if score ~= edge then
      edge = nil
      call('ZREM', exact, order)
      call('ZREM', board, member)
    end
  end
end

-- True: the board lacked the row and has it now.
local function rank(at)
  local key, score, member, order = tonumber(ARGV[at]), ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local board, exact, expires, cap = KEYS[key], KEYS[key + 1], ARGV[at + 4], tonumber(ARGV[at + 5])
  local added = call('ZADD', exact, 0, order) + call('ZADD', board, score, member)
  if expires ~= '0' then
    call('PEXPIREAT', exact, expires)
    call('PEXPIREAT', board, expires)
  end
  if ARGV[at + 7] ~= '0' then call('ZADD', windows, ARGV[at + 7], ARGV[at + 6]) end
  if cap > 0 then trim(board, exact, cap) end
  return added > 0 and call('ZSCORE', exact, order)
end

local results, at, changed = {}, 2, false
while at <= #ARGV do
  local id, detail, boards = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  at = at + 3
  local known = call('HGET', details, id)
  local answer = known and 0 or 1
  if known and known ~= detail then answer = repair and known or 0 end
  if not known then call('HSET', details, id, detail) end
  if answer == 1 or (repair and answer == 0) then
    for b = 0, boards - 1 do
      if rank(at + b * 8) and answer == 0 then answer = 2 end
    end
  end
  changed = changed or answer ~= 0
  results[#results + 1] = answer
  at = at + boards * 8
end
if changed then call('HINCRBY', state, 'changes', 1) end
return results
