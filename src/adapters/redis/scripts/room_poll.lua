-- A sign of life, and where the fan stands. ARGV: user, number, epoch, what the caller knows to have happened (epoch, changes, highest number).
local stop = begin(ARGV[6], ARGV[7], ARGV[8])
if stop then return {stop} end
local p, why = own(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
local told = p and poll(p) or {why}
save_room()
return told
