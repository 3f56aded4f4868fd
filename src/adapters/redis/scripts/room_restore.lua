-- Puts a fan back where it was before Redis lost its memory. ARGV: user, number, place in the order, when it entered (0: it waited). Returns {0, 1 if it
-- came back}.
local stop = begin()
if stop then return {stop} end
local entered_at = tonumber(ARGV[6])
-- The place of a waiter who stayed away for so long has ended.
local too_late = entered_at == 0 and settled(math.huge) < 0
local back = not too_late and put_back(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), entered_at)
save_room()
return {0, back and 1 or 0}
