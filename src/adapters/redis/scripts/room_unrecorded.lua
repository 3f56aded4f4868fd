-- Reads log entries that are not in the database yet. ARGV: about how many at most; '1' where the database
-- answers (otherwise no node records its own admissions, and the newest entries are read too). Returns
-- {0, entries}, or a code where the room is missing or lost data: its log may lack the end of a slot.
if not load_room() then return {NO_ROOM} end
if forgotten() then return {GONE_BACK} end
return {0, waiting_log_entries(tonumber(ARGV[FIRST]), ARGV[FIRST + 1] == '1' and IN_HAND or -IN_HAND)}
