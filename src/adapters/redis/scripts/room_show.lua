-- Shows fans of `main` to readers, by token. KEYS: places, tokens, queue:waiting, queue:active, then of each
-- fan queue:user:<user> and queue:token:<token>. ARGV: how long both live (ms), then user and token of each
-- fan. A place that has ended meanwhile is not shown.
local call, ttl = redis.call, ARGV[1]
local users = {}
for at = 2, #ARGV, 2 do users[#users + 1] = ARGV[at] end
local known, waits, inside = {}, {}, {}
for i, bytes in ipairs(call('HMGET', KEYS[1], unpack(users))) do
  local user, token = users[i], ARGV[i * 2 + 1]
  if bytes then
    known[#known + 1], known[#known + 2] = user, token
    call('SET', KEYS[3 + i * 2], token, 'PX', ttl)
    call('SET', KEYS[4 + i * 2], user, 'PX', ttl)
    if string.byte(bytes, FLAGS) % 2 == IS_ENTERED then
      inside[#inside + 1] = token
    else
      waits[#waits + 1], waits[#waits + 2] = struct.unpack('<I4', bytes, ORDER), token
    end
  end
end
if #known > 0 then call('HSET', KEYS[2], unpack(known)) end
if #waits > 0 then call('ZADD', KEYS[3], unpack(waits)) end
if #inside > 0 then
  call('ZREM', KEYS[3], unpack(inside))
  call('SADD', KEYS[4], unpack(inside))
end
return #known / 2
