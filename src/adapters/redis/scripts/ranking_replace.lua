-- Replaces the progress boards by their staged versions and lowers the fence.
-- KEYS: state, applied events, fence, then for each window: board, exact set, staged board, staged exact set.
-- ARGV: token of the fence, then ids of the events that the staged boards include.
-- Returns 1; 0 where the fence has another token or none.
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
