-- The ranks (from 0) of rows on several boards. KEYS: state, then boards in exact order. ARGV: the exact orders. -1: not there. {} where the
-- boards are not complete.
if redis.call('HGET', KEYS[1], 'complete') ~= '1' then return {} end
local ranks = {}
for i = 2, #KEYS do ranks[i - 1] = redis.call('ZRANK', KEYS[i], ARGV[i - 1]) or -1 end
return ranks
