-- Makes a staged board the board of its window, and marks it as built. If boards changed since the builder
-- read the state, the staged board may lack rows: the script then only deletes it.
-- KEYS: state, windows, board, staged board (absent: no rows).
-- ARGV: field of the state that tells whether the board is built, `changes` and `corrections` before the
--   database was read, expiry (ms; 0: never), name of the window, day after the window, run id of the
--   executing server.
-- Returns 1 if the board is built now, otherwise 0.
local call, state = redis.call, KEYS[1]
local now = call('HMGET', state, 'complete', 'server', 'changes', 'corrections')
local same = (tonumber(now[3]) or 0) == tonumber(ARGV[2]) and (tonumber(now[4]) or 0) == tonumber(ARGV[3])
if now[1] ~= '1' or now[2] ~= ARGV[7] or not same then
  call('DEL', KEYS[4])
  return 0
end
call('DEL', KEYS[3])
if call('EXISTS', KEYS[4]) == 1 then
  call('RENAME', KEYS[4], KEYS[3])
  call('PERSIST', KEYS[3])
  if ARGV[4] ~= '0' then call('PEXPIREAT', KEYS[3], ARGV[4]) end
end
call('ZADD', KEYS[2], ARGV[6], ARGV[5])
call('HSET', state, ARGV[1], '1')
return 1
