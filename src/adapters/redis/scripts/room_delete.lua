-- Deletes the room, and the key token:42:minji of each fan inside. The keys of last polls (room:42:seen:…)
-- expire by themselves.
for _, user in ipairs(call('ZRANGE', slots, 0, -1)) do call('DEL', token_key(user)) end
call('DEL', room .. ':tally', unpack(KEYS))
return 0
