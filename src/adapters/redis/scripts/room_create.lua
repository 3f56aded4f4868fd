-- Creates the room if it is missing. ARGV: number of draws, one text per draw, then fields and values.
-- Returns 1 if the room is new, otherwise 0.
if call('EXISTS', room) == 1 then return 0 end
local lines = tonumber(ARGV[FIRST])
for i = FIRST + 1, FIRST + lines do call('RPUSH', draws, ARGV[i]) end
-- The text is for operators that read the hash. It is also so long that Redis stores the hash as a hash table
-- instead of a list, which Redis would search for each field.
local about = 'A waiting room of maejin. Read what you like, write nothing: docs/redis-keys.md explains it.'
call('HSET', room, 'about', about, 'server', server, unpack(ARGV, FIRST + 1 + lines))
return 1
