-- Reads consecutive rows of a board.
-- KEYS: state, exact set, details, board.
-- ARGV: cap (0: none), '1' to return details, one of
--   'page', index of the first row, count
--   'around', exact order of a row, number of neighbours on each side
--   'member', member of a progress board, its sort text, number of neighbours
--   'detail', id: returns {1, 0, {}, {detail}}
-- and then the run id of the executing server.
-- Returns {visible rows, index of the first row, exact orders, details}; {-1} where the boards are not
-- complete on this server (ranking_check_state.lua); {-2} where the row is not on the board.
local call = redis.call
local exact = KEYS[2]
local state = call('HMGET', KEYS[1], 'complete', 'server')
if state[1] ~= '1' or state[2] ~= ARGV[#ARGV] then return {-1} end
if ARGV[3] == 'detail' then return {1, 0, {}, {call('HGET', KEYS[3], ARGV[4]) or ''}} end
local visible, cap = call('ZCARD', exact), tonumber(ARGV[1])
if cap > 0 and visible > cap then visible = cap end
local first, last
if ARGV[3] == 'page' then
  first = math.min(tonumber(ARGV[4]), visible)
  last = math.min(first + tonumber(ARGV[5]), visible) - 1
else
  local order, around = ARGV[4], tonumber(ARGV[5])
  if ARGV[3] == 'member' then
    local score = tonumber(call('ZSCORE', KEYS[4], ARGV[4]) or 0)
    if score <= 0 then return {-2} end
    order = string.format('%016.0f', 9007199254740991 - score) .. ARGV[5] .. '|' .. ARGV[4]
    around = tonumber(ARGV[6])
  end
  local rank = call('ZRANK', exact, order)
  if not rank or rank >= visible then return {-2} end
  first, last = math.max(rank - around, 0), math.min(rank + around, visible - 1)
end
local orders, details = {}, {}
if last >= first then orders = call('ZRANGE', exact, first, last) end
if ARGV[2] == '1' then
  local ids = {}
  for i, order in ipairs(orders) do
    ids[#ids + 1] = string.match(order, '|(.*)$')
    if #ids == 1000 or i == #orders then
      for _, detail in ipairs(call('HMGET', KEYS[3], unpack(ids))) do
        details[#details + 1] = detail or ''
      end
      ids = {}
    end
  end
end
return {visible, first, orders, details}
