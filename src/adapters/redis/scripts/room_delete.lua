-- Deletes the room, and the key token:42:minji of each fan inside. The keys of last polls (room:42:seen:…)
-- expire by themselves. ARGV: the epoch that the room must have. Returns its highest number; 0 where there is
-- no room, -1 where it has another epoch.
local epoch, last = unpack(call('HMGET', room, 'epoch', 'last_number'))
if epoch and epoch ~= ARGV[FIRST] then return -1 end
for _, user in ipairs(call('ZRANGE', slots, 0, -1)) do call('DEL', token_key(user)) end
call('DEL', room .. ':tally', unpack(KEYS))
return tonumber(last or 0)
