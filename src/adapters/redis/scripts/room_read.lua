-- The whole room but its fans: {0, fields and values, draws, waiting, entered}, as it is after what is due was done.
if not load_room() then return {NO_ROOM} end
if r.server == server and (r.phase_at == 0 or now < r.phase_at) then
  advance(false)
  save_room()
end
return {0, call('HGETALL', room), call('LRANGE', draws, 0, -1), call('ZCARD', queue), call('ZCARD', slots), call('HGETALL', flow)}
