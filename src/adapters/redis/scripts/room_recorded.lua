-- The database has recorded these notes. KEYS: the log. ARGV: the notes; another node may have removed them
-- already.
for _, note in ipairs(ARGV) do redis.call('LREM', KEYS[1], 1, note) end
return #ARGV
