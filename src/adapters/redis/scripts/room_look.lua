-- Where the fan stands, without a sign of life; nothing is changed. ARGV: user, number, epoch.
if not load_room() then return {NO_ROOM} end
local p, why = own(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
if not p then return {why} end
local told = standing(p)
return told
