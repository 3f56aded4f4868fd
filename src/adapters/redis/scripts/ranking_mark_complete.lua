-- Marks the boards complete after a rebuild.
-- KEYS: state. ARGV: run id when the rebuild began, pruned_before, run id of the executing server.
-- Returns 1; 0 where the server changed during the rebuild.
if ARGV[1] ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'complete', '1', 'pruned_before', ARGV[2])
return 1
