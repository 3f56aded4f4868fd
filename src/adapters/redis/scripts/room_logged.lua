-- The database has remembered these notes of the log. KEYS: the log. ARGV: the notes. Another node may have been faster.
for _, note in ipairs(ARGV) do redis.call('LREM', KEYS[1], 1, note) end
return #ARGV
