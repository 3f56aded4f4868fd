-- What the database has yet to remember. ARGV: what the caller knows to have happened (epoch, changes, highest number), about how many notes at most, and
-- '1' where the database answers; where it does not, nobody has anything in hand.
-- Returns {0, the notes}, or why not: where the room has forgotten something, an end may be missing among them.
if not load_room() then return {NO_ROOM} end
if forgotten(ARGV[3], ARGV[4], ARGV[5]) then return {GONE_BACK} end
return {0, owed(tonumber(ARGV[6]), ARGV[7] == '1' and IN_HAND or -IN_HAND)}
