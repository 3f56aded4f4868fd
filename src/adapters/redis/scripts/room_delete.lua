-- Deletes the room, and the key token:42:minji of each fan inside. The keys of last polls (room:42:seen:…)
-- expire by themselves. Returns 1, or 0: there was no room.
local prefix = string.gsub(count, '^token:count:', 'token:') .. ':'
for _, user in ipairs(call('ZRANGE', slots, 0, -1)) do call('DEL', prefix .. user) end
local found = call('EXISTS', room)
for i = 1, TOKEN_KEYS do call('DEL', KEYS[i]) end
call('DEL', room .. ':tally')
return found
