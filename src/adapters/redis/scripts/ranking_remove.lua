-- Removes members from boards. A higher count of `corrections` makes nodes read details from the database
-- again.
-- KEYS: state, then boards. ARGV: for each board a member.
-- Returns the number of rows removed.
local call, removed = redis.call, 0
for i = 2, #KEYS do removed = removed + call('ZREM', KEYS[i], ARGV[i - 1]) end
call('HINCRBY', KEYS[1], 'corrections', 1)
if removed > 0 then call('HINCRBY', KEYS[1], 'changes', 1) end
return removed
