-- Makes the room where it is missing. ARGV from 3: fields and values. Returns 1 if it is new.
if call('EXISTS', room) == 1 then return 0 end
call('HSET', room, unpack(ARGV, 3))
return 1
