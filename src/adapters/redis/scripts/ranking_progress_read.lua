-- Reads consecutive rows of a progress board from its exact set. The script builds the set if it is missing;
-- the set expires five to ten minutes after its last reader.
-- KEYS: state, exact set, board, dates of schedules.
-- ARGV: '1' where members are schedules, one of
--   'page', index of the first row, count
--   'member', member, its sort text
-- and then the run id of the executing server.
-- Returns {visible rows, index of the first row, members of the exact set, dates of schedules}; {-1} where
-- the boards are not complete on this server (ranking_check_state.lua); {-2} where the member is not on the
-- board.
local call = redis.call
local exact, board, by_schedule = KEYS[2], KEYS[3], ARGV[1] == '1'
local state = call('HMGET', KEYS[1], 'complete', 'server')
if state[1] ~= '1' or state[2] ~= ARGV[#ARGV] then return {-1} end
local life_ms = 600000

local function order(count, sort, member)
  return string.format('%016.0f', 9007199254740991 - count) .. sort .. '|' .. member
end
local function build()
  local rows = call('ZRANGEBYSCORE', board, '(0', '+inf', 'WITHSCORES')
  for i = 1, #rows, 2 do
    local member, sort = rows[i], rows[i]
    if by_schedule then sort = tonumber(member) and string.format('8%015x', tonumber(member)) end
    if sort then call('ZADD', exact, 0, order(tonumber(rows[i + 1]), sort, member)) end
  end
end
local left = call('PTTL', exact)
if left == -2 then build() end
if left < life_ms / 2 then
  local board_left = call('PTTL', board)
  call('PEXPIRE', exact, board_left > 0 and math.min(board_left, life_ms) or life_ms)
end

local visible = call('ZCARD', exact)
local first, last
if ARGV[2] == 'page' then
  first = math.min(tonumber(ARGV[3]), visible)
  last = math.min(first + tonumber(ARGV[4]), visible) - 1
else
  local score = tonumber(call('ZSCORE', board, ARGV[3]) or 0)
  if score <= 0 then return {-2} end
  first = call('ZRANK', exact, order(score, ARGV[4], ARGV[3]))
  if not first then return {-2} end
  last = first
end
local orders, dates = {}, {}
if last >= first then orders = call('ZRANGE', exact, first, last) end
if by_schedule then
  for i, text in ipairs(orders) do dates[i] = call('HGET', KEYS[4], string.match(text, '|(.*)$')) or '' end
end
return {visible, first, orders, dates}
