-- Makes the room where it is missing. ARGV: number of draws, their lines, then fields and values. Returns 1 if it is new.
if call('EXISTS', room) == 1 then return 0 end
local lines = tonumber(ARGV[3])
for i = 4, 3 + lines do call('RPUSH', draws, ARGV[i]) end
call('HSET', room, 'server', server, unpack(ARGV, 4 + lines))
return 1
