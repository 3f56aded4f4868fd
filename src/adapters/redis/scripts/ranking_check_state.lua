-- How the boards are. KEYS: state. ARGV: the run id of the Redis that runs this. Boards that another one kept last (a failover, a restart) may lack
-- what was told last, though the count of changes has caught up since: they are complete no more. Returns {complete, changes, pruned before, run id}.
local call, state, server = redis.call, KEYS[1], ARGV[1]
if call('HGET', state, 'server') ~= server then
  call('HDEL', state, 'complete')
  call('HSET', state, 'server', server)
end
return call('HMGET', state, 'complete', 'changes', 'pruned_before', 'server')
