-- Deletes the room, and the key token:42:minji of each fan inside. The keys of last polls (room:42:seen:…)
-- expire by themselves. Returns 1, or 0: there was no room.
for _, user in ipairs(call('ZRANGE', slots, 0, -1)) do call('DEL', token_key(user)) end
local found = call('EXISTS', room)
for _, key in ipairs(KEYS) do call('DEL', key) end
call('DEL', room .. ':tally')
return found
