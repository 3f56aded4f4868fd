-- Changes settings and phase. ARGV: the version of the room for which the node decided the change; '1' to
-- reset the observed outflow; the draw that begins ('': none); the draw that ends ('': none), and the new
-- index of each of its places (four little-endian bytes each); then fields and values. Returns {AGAIN} where
-- the room has changed since.
local version, reset_flow, begins, ended, positions = unpack(ARGV, FIRST, FIRST + 4)
local first, drawn = string.match(ended, '^(%d+) (%d+)')
first, drawn = tonumber(first), tonumber(drawn)
if not load_room() then return {NO_ROOM} end
if forgotten() then return {GONE_BACK} end
if r.version ~= tonumber(version) then return {AGAIN} end
if first and r.last_number + 1 - first ~= drawn then return {AGAIN} end
advance(true)
settle_credit()
save_room()
if first then
  call('LSET', draws, -1, ended)
  call('HSET', room, 'draw_first', 0)
  order_places(first, drawn, positions)
  write_bitmaps()
end
if begins ~= '' then
  call('RPUSH', draws, begins)
  call('HSET', room, 'draw_first', r.last_number + 1)
end
if reset_flow == '1' then call('DEL', flow) end
write_settings(FIRST + 5, #ARGV)
if r.phase_at == 0 or now < r.phase_at then advance(true) end
return reply()
