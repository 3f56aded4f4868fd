-- Replaces the progress boards by their staged versions and deletes the fence.
-- KEYS: state, applied events, fence, then for each window: board, exact set, staged board.
-- ARGV: the value that the fence must have, then ids of the events that the staged boards include.
-- Returns 1; 0 where the fence is missing or has another value.
local call = redis.call
if call('GET', KEYS[3]) ~= ARGV[1] then return 0 end
for i = 4, #KEYS, 3 do
  call('DEL', KEYS[i + 1])
  if call('EXISTS', KEYS[i + 2]) == 1 then
    call('RENAME', KEYS[i + 2], KEYS[i])
  else
    call('DEL', KEYS[i])
  end
end
for i = 2, #ARGV do call('ZADD', KEYS[2], 'NX', ARGV[i], ARGV[i]) end
call('HINCRBY', KEYS[1], 'progress', 1)
call('DEL', KEYS[3])
return 1
