-- Reads the state of the boards, and marks them incomplete after a failover or restart of Redis. The new
-- server may lack the last writes, even where the change count has caught up since.
-- KEYS: state. ARGV: run id of the executing server.
-- Returns {complete, changes, pruned_before, run id, corrections}.
local call, state, server = redis.call, KEYS[1], ARGV[1]
if call('HGET', state, 'server') ~= server then
  call('HDEL', state, 'complete')
  call('HSET', state, 'server', server)
end
return call('HMGET', state, 'complete', 'changes', 'pruned_before', 'server', 'corrections')
