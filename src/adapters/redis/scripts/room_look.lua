-- Where the fan stands, without a sign of life; nothing is changed. ARGV: user, number, epoch, what the caller knows to have happened
-- (epoch, changes, highest number).
if not load_room() then return {NO_ROOM} end
if forgotten(ARGV[6], ARGV[7], ARGV[8]) then return {GONE_BACK} end
local p, why = own(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
if not p then return {why} end
local told = standing(p)
told[10], told[11], told[12], told[13] = 0, 0, r.changes, settled(p.order)
return told
