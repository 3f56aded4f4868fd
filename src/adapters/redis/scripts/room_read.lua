-- The whole room but its fans: what a mirror begins with. ARGV: '1' to read a room that is not recovered yet;
-- the range and the bits of the line as the caller's mirror knew it before a loss ('0' and '' where there was
-- none). Returns {0, fields and values, draws, outflow, waiting, inside, line, skips, line before the loss}.
--
-- While fans may come back after a loss, a rank that counted those who have come back would rise. So the
-- nodes' mirrors are merged here into the line as it was before the loss: a place that left it for any of
-- them has left it.
local function pad(bits, range, length)
  local used = range % 8
  if used > 0 then
    local last = bit.bor(string.byte(bits, -1), 2 ^ (8 - used) - 1)
    bits = string.sub(bits, 1, -2) .. string.char(last)
  end
  return bits .. string.rep('\255', length - #bits)
end

local function merge(range, bits)
  local known, known_range = call('GET', before) or '', r.before_range
  if known == '' then known_range = 0 end
  local length = max(#known, #bits)
  local longer, shorter = known, pad(bits, range, length)
  if known_range < range then longer, shorter = bits, pad(known, known_range, length) end
  local mine = before .. ':merge'
  call('SET', before, longer)
  call('SET', mine, shorter)
  call('BITOP', 'AND', before, before, mine)
  call('DEL', mine)
  call('PEXPIRE', before, r.grace)
  r.before_range = max(range, known_range)
  call('HSET', room, 'before_range', r.before_range)
  if call('GET', before) ~= known then moved('b', 0) end -- the other mirrors read it again
end

if not load_room() then return {NO_ROOM} end
if ARGV[FIRST] ~= '1' then
  if forgotten() then return {GONE_BACK} end
  if r.phase_at == 0 or now < r.phase_at then advance(false) end
  save_room()
  if call('BITCOUNT', line) ~= call('ZCARD', queue) or call('BITCOUNT', skips) ~= call('ZCARD', skipped) then
    write_bitmaps()
    save_room()
  end
  local range = tonumber(ARGV[FIRST + 1])
  if range > 0 and r.lost_at > 0 and now < r.lost_at + r.grace then
    merge(range, ARGV[FIRST + 2])
    save_room()
  end
end
return {0, call('HGETALL', room), call('LRANGE', draws, 0, -1), call('HGETALL', flow), call('ZCARD', queue),
  call('ZCARD', slots), call('GET', line) or '', call('GET', skips) or '', call('GET', before) or ''}
