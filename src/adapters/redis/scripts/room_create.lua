-- Creates the room if it is missing. ARGV: the run id that the room has until it is recovered ('': it is
-- new); its epoch; the highest number given; then the record, as write_record() in room_settings.lua reads
-- it. Returns 1 if the room is new, otherwise 0.
if call('EXISTS', room) == 1 then return 0 end
local served_by, epoch, last_number, drawn = unpack(ARGV, FIRST, FIRST + 3)
local fields_at = FIRST + 4 + 2 * tonumber(drawn)
for at = FIRST + 4, fields_at - 1, 2 do call('RPUSH', draws, ARGV[at]) end
-- The text is for operators that read the hash. It is also so long that Redis stores the hash as a hash table
-- instead of a list, which Redis would search for each field.
local about = 'A waiting room of maejin. Read what you like, write nothing: docs/redis-keys.md explains it.'
-- Scripts read 0 for a missing field, except room_inside.lua.
call('HSET', room, 'about', about, 'server', served_by == '' and server or served_by, 'epoch', epoch,
  'last_number', last_number, 'changes', 0, 'floor', 0, 'credit', PER_ENTRY, unpack(ARGV, fields_at))
return 1
