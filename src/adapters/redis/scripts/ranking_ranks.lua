-- The ranks of one row on several boards, from 0; -1: not on the board.
-- KEYS: state, then exact sets. ARGV: the row's order in each set, then the run id of the executing server.
-- Returns the ranks; {} where the boards are not complete on this server (ranking_check_state.lua).
local state = redis.call('HMGET', KEYS[1], 'complete', 'server')
if state[1] ~= '1' or state[2] ~= ARGV[#ARGV] then return {} end
local ranks = {}
for i = 2, #KEYS do ranks[i - 1] = redis.call('ZRANK', KEYS[i], ARGV[i - 1]) or -1 end
return ranks
