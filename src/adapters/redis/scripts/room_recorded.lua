-- Removes log entries that the database has recorded. KEYS: the log. ARGV: the entries; another node may have
-- removed them already.
for _, entry in ipairs(ARGV) do redis.call('LREM', KEYS[1], 1, entry) end
return #ARGV
