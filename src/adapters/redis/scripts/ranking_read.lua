-- Reads consecutive rows of a sold-out board, extended at both ends to whole groups of equal scores. A capped
-- board is returned whole: its order does not follow the scores alone (ranking_add.lua).
-- KEYS: state, board.
-- ARGV: cap (0: none), index of the first row, count, field of the state that tells whether the board is
--   built (empty: it always is), run id of the executing server.
-- Returns {visible rows, corrections, index of the first row returned, {member, score, member, score, …}};
-- {-1} where the boards are not complete on this server (ranking_check_state.lua), {-2} if the board is not
-- built.
local call, board = redis.call, KEYS[2]
local state = call('HMGET', KEYS[1], 'complete', 'server', 'corrections')
if state[1] ~= '1' or state[2] ~= ARGV[5] then return {-1} end
if ARGV[4] ~= '' and call('HGET', KEYS[1], ARGV[4]) ~= '1' then return {-2} end
local visible, cap, corrections = call('ZCARD', board), tonumber(ARGV[1]), tonumber(state[3] or 0)
if cap > 0 and visible > cap then visible = cap end
local first = math.min(tonumber(ARGV[2]), visible)
local last = math.min(first + tonumber(ARGV[3]), visible) - 1
if last < first then return {visible, corrections, first, {}} end
if cap > 0 then return {visible, corrections, 0, call('ZRANGE', board, 0, -1, 'WITHSCORES')} end
local function score_at(index) return call('ZRANGE', board, index, index, 'WITHSCORES')[2] end
local from = call('ZCOUNT', board, '-inf', '(' .. score_at(first))
local to = call('ZCOUNT', board, '-inf', score_at(last)) - 1
return {visible, corrections, from, call('ZRANGE', board, from, to, 'WITHSCORES')}
