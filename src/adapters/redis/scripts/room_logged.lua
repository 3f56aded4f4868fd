-- The database has remembered the first lines of the log. KEYS: the log. ARGV: the first of them, how many. Another node may have been faster.
if redis.call('LINDEX', KEYS[1], 0) ~= ARGV[1] then return 0 end
redis.call('LTRIM', KEYS[1], ARGV[2], -1)
return 1
