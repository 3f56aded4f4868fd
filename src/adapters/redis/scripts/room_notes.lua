-- What waits for the database. ARGV: about how many notes at most; '1' where the database answers (where it
-- does not, no node has an admission in hand). Returns {0, notes}, or a code: of a room that has forgotten
-- something an end may be missing.
if not load_room() then return {NO_ROOM} end
if forgotten() then return {GONE_BACK} end
return {0, waiting_notes(tonumber(ARGV[FIRST]), ARGV[FIRST + 1] == '1' and IN_HAND or -IN_HAND)}
