-- Ends a place or slot. ARGV: user, number, epoch, '1' where only a slot is to end, the ending (room.lua).
-- Its own values: 1 where a place or slot ended, its number, 1 where it was inside; or a code. AGAIN, and the
-- time of the fan's last request: that request is newer than this one, and a late end must not evict a fan
-- that is active since.
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
