-- Deletes a lease if it still has this token: an expired lease may belong to another client by now.
-- KEYS: the lease. ARGV: its token.
-- Returns 1; 0 where the lease has another token or has expired.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
