-- Shows fans of `main` to readers, by token. KEYS: places, tokens, queue:waiting, queue:active, the room's queue
-- and slots, then of each fan queue:user:<user> and queue:token:<token>. ARGV: the time, then user, number and
-- token of each fan. A place that has ended meanwhile is not shown. Later scripts keep the keys up to date
-- (room.lua).
local call, now = redis.call, tonumber(ARGV[1])
local places, tokens, waiting, active, queue, slots = unpack(KEYS, 1, 6)
local prefix = string.match(active, '^(.*):active$')
for i = 1, (#ARGV - 1) / 3 do
  local user, number, token = unpack(ARGV, i * 3 - 1, i * 3 + 1)
  local user_key, token_key = KEYS[5 + i * 2], KEYS[6 + i * 2]
  local bytes = call('HGET', places, user)
  local p = bytes and place_of(user, bytes)
  if p and p.number == tonumber(number) then
    local other = call('HGET', tokens, user)
    if other and other ~= token then -- signed in an earlier epoch
      call('ZREM', waiting, other)
      call('SREM', active, other)
      call('DEL', prefix .. ':token:' .. other)
    end
    call('HSET', tokens, user, token)
    call('SET', user_key, token)
    if p.entered then
      call('ZREM', waiting, token)
      call('SADD', active, token)
      call('SET', token_key, user, 'PX', math.max(1, math.floor(call('ZSCORE', slots, user) - now)))
    else
      call('ZADD', waiting, call('ZSCORE', queue, user), token)
      call('SET', token_key, user)
    end
  end
end
return 0
