-- The whole room but its fans: what a mirror begins with. ARGV: '1' to read a room that is not recovered yet;
-- the node; how many nodes mirrored the room before a loss, as the caller knew it (0: the caller has no mirror
-- of that time), the range and the bits of the line in that mirror. Returns {0, fields and values, draws, outflow, waiting, inside, line, skips, line before the loss}.
--
-- While fans may come back after a loss, a rank that counted those who have come back would rise. So the
-- nodes' mirrors are merged here into the line as it was before the loss: a place that left it for any of
-- them has left it. Each node has reported no better ranks than its mirror knew. So no rank is reported before
-- all nodes have merged.
local function pad(bits, range, length)
  local used = range % 8
  if used > 0 then
    local last = bit.bor(string.byte(bits, -1), 2 ^ (8 - used) - 1)
    bits = string.sub(bits, 1, -2) .. string.char(last)
  end
  return bits .. string.rep('\255', length - #bits)
end

local function merge(node, known_nodes, range, bits)
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
  if not is_merging() then -- the first one of an empty Redis
    call('DEL', nodes)
    r.nodes = 0
  end
  call('ZADD', nodes, max(now, r.lost_at), node)
  r.nodes = max(r.nodes, known_nodes)
  r.merged = call('ZCOUNT', nodes, text(r.lost_at), '+inf')
  moved('b', 0) -- the other mirrors read it again
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
  local node, known_nodes = ARGV[FIRST + 1], tonumber(ARGV[FIRST + 2])
  if known_nodes > 0 and r.lost_at > 0 and now < r.lost_at + r.grace then
    merge(node, known_nodes, tonumber(ARGV[FIRST + 3]), ARGV[FIRST + 4])
  elseif not is_merging() then
    register(node)
  end
  save_room()
end
return {0, call('HGETALL', room), call('LRANGE', draws, 0, -1), call('HGETALL', flow), call('ZCARD', queue),
  call('ZCARD', slots), call('GET', line) or '', call('GET', skips) or '', call('GET', before) or ''}
