-- The poll that is asked a million times, answered before room.lua is even set up: a present waiter of an open room that can admit nobody
-- at this moment, asking in a millisecond whose deadlines were done already. Everybody else falls through to the rules below.
do
  local call, floor = redis.call, math.floor
  local v = call('HMGET', KEYS[1], 'clock', 'state', 'version', 'epoch', 'admission', 'capacity')
  local now = tonumber(v[1])
  local bytes = now and now >= tonumber(ARGV[1]) and v[2] == 'open' and call('HGET', KEYS[7], ARGV[3])
  if bytes then
    local number, order, seen, entered_at, tenths, flags = struct.unpack('<I4I4ddI2B', bytes)
    local asked, epoch = tonumber(ARGV[4]), tonumber(v[4])
    local own = asked == 0 or (asked == number and tonumber(ARGV[5]) <= epoch)
    -- 2: present, and neither entered nor past its turn.
    if own and flags == 2 and (v[5] == 'push' or call('ZCARD', KEYS[4]) >= tonumber(v[6])) then
      local rank = call('ZRANK', KEYS[2], ARGV[3])
      local wait = rank < 50 and 1000 or rank < 500 and 2000 or rank < 5000 and 4000 or rank < 50000 and 8000
        or rank < 500000 and 15000 or rank < 2000000 and 20000 or 60000
      if wait >= tenths * 100 then
        call('HSET', KEYS[7], ARGV[3], struct.pack('<I4I4ddI2B', number, order, now, entered_at, wait / 100, flags))
        return {0, number, rank, wait - (number * 7919 + now) % (floor(wait / 8) + 1), 0, 0, 0, tonumber(v[3]), epoch}
      end
    end
  end
end
