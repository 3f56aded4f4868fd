-- The ranks (from 0) of rows on several boards. KEYS: state, then boards in exact order. ARGV: the exact orders, then the run id of the
-- Redis that runs this. -1: not there. {} where the boards are not complete, or another Redis kept them last (ranking_look.lua).
local state = redis.call('HMGET', KEYS[1], 'complete', 'server')
if state[1] ~= '1' or state[2] ~= ARGV[#ARGV] then return {} end
local ranks = {}
for i = 2, #KEYS do ranks[i - 1] = redis.call('ZRANK', KEYS[i], ARGV[i - 1]) or -1 end
return ranks
