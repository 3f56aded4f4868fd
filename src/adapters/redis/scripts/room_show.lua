-- Writes the keys in which other programs read the fans of `main`, by token. KEYS: places, tokens,
-- queue:waiting, queue:active, the room's queue and slots. ARGV: the time, then user, number and token of
-- each fan. A place that has ended meanwhile is skipped. Later scripts keep the keys up to date
-- (room_rules.lua).
local call, now = redis.call, tonumber(ARGV[1])
local places, tokens, waiting, active, queue, slots = unpack(KEYS, 1, 6)
local prefix = string.match(active, '^(.*):active$')
local users = {}
for i = 2, #ARGV, 3 do users[#users + 1] = ARGV[i] end
local bytes_of, others = call('HMGET', places, unpack(users)), call('HMGET', tokens, unpack(users))
local scores = call('ZMSCORE', queue, unpack(users))
local shown, lined = {}, {} -- for `tokens`: user, token, …; for queue:waiting: score, token, …
for i, user in ipairs(users) do
  local number, token = tonumber(ARGV[i * 3]), ARGV[i * 3 + 1]
  local token_key = prefix .. ':token:' .. token
  local p = bytes_of[i] and place_of(user, bytes_of[i])
  if p and p.number == number then
    local other = others[i]
    if other and other ~= token then -- the fan's token of an earlier epoch
      call('ZREM', waiting, other)
      call('SREM', active, other)
      call('DEL', prefix .. ':token:' .. other)
    end
    shown[#shown + 1], shown[#shown + 2] = user, token
    call('SET', prefix .. ':user:' .. user, token)
    if p.entered then
      call('ZREM', waiting, token)
      call('SADD', active, token)
      call('SET', token_key, user, 'PX', math.max(1, math.floor(call('ZSCORE', slots, user) - now)))
    else
      lined[#lined + 1], lined[#lined + 2] = scores[i], token
      call('SET', token_key, user)
    end
  end
end
if #shown > 0 then call('HSET', tokens, unpack(shown)) end
if #lined > 0 then call('ZADD', waiting, unpack(lined)) end
return 0
