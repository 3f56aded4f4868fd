-- Puts the progress boards that were made anew in the place of the old ones. KEYS: state, applied events, fence, then for every board: the board,
-- its exact twin, and both made anew. ARGV: the fence's token, then the events that are counted in what is new. Returns 1, or 0 where the
-- fence is another's by now.
local call = redis.call
if call('GET', KEYS[3]) ~= ARGV[1] then return 0 end
for i = 4, #KEYS, 4 do
  for half = 0, 1 do
    if call('EXISTS', KEYS[i + half + 2]) == 1 then
      call('RENAME', KEYS[i + half + 2], KEYS[i + half])
    else
      call('DEL', KEYS[i + half])
    end
  end
end
for i = 2, #ARGV do call('ZADD', KEYS[2], 'NX', ARGV[i], ARGV[i]) end
call('HINCRBY', KEYS[1], 'progress', 1)
call('DEL', KEYS[3])
return 1
