-- Ends a place or slot. ARGV: user, number, epoch, '1' where only a slot is to end, the ending (end_place()
-- in room_rules.lua). The script's own values: 1 where a place or slot ended (0: the fan waits, and only a
-- slot was to end), its number, 1 where the fan was inside; or a code. With the code AGAIN, the second value
-- is the time of the fan's last request, which is newer than this call: a late call must not evict an active
-- fan.
local stop = begin()
if stop then return {stop} end
local user, only_inside, ending = ARGV[FIRST], ARGV[FIRST + 3] == '1', ARGV[FIRST + 4]
local p, why = own(user, tonumber(ARGV[FIRST + 1]), tonumber(ARGV[FIRST + 2]))
if not p then return reply(why, 0, 0) end
if not p.entered then read_sign(p) end
if tonumber(ARGV[1]) < p.seen then return reply(AGAIN, p.seen, 0) end
if only_inside and not p.entered then return reply(0, 0, 0) end
end_place(p, ending)
call('DEL', token_key(user))
fill()
return reply(1, p.number, p.entered and 1 or 0)
