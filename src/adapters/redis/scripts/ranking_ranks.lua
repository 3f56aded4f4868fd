-- Counts the rows before each given row on its board, by its score. The board need not have the row yet.
-- KEYS: state, then for each row its board. ARGV: for each row member, score, and the field of the state that
-- tells whether the board is built (empty: it always is); then the run id of the executing server.
-- Returns {corrections, {rows before, rows of the board, members of equal score…}, …}, with {-2} for a board
-- that is not built; {-1} where the boards are not complete on this server (ranking_check_state.lua).
local call = redis.call
local state = call('HMGET', KEYS[1], 'complete', 'server', 'corrections')
if state[1] ~= '1' or state[2] ~= ARGV[#ARGV] then return {-1} end
local places = {tonumber(state[3] or 0)}
local function place_of(board, member, score)
  local place = call('ZRANGEBYSCORE', board, score, score)
  local before = call('ZCOUNT', board, '-inf', '(' .. score)
  -- If the board has this row with a lower, wrong score, the row must not count as before itself.
  local own = call('ZSCORE', board, member)
  if own and tonumber(own) < tonumber(score) then before = before - 1 end
  table.insert(place, 1, call('ZCARD', board))
  table.insert(place, 1, before)
  return place
end
for i = 2, #KEYS do
  local member, score, field = ARGV[3 * i - 5], ARGV[3 * i - 4], ARGV[3 * i - 3]
  local built = field == '' or call('HGET', KEYS[1], field) == '1'
  places[i] = built and place_of(KEYS[i], member, score) or {-2}
end
return places
