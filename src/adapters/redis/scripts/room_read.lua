-- Reads the whole room except its fans: the initial data of a mirror. ARGV: the node; how many nodes mirrored
-- the room before a loss, as the caller knew it (0: the caller has no mirror of that time), the range and the
-- bits of the line in that mirror. Returns {0, fields and values, draws, outflow, waiting, inside, line,
-- skips, line before the loss}.
--
-- After a loss, a rank that counts only restored places would rise with each restored place. So the nodes'
-- mirrors are merged here into the line as it was before the loss. A place that has left the line in one
-- mirror has left it in the merged line. Nodes report ranks after all nodes have merged, because no node then
-- knows of a better rank.
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
  call('SET', before, longer)
  call('SET', merging, shorter)
  call('BITOP', 'AND', before, before, merging)
  call('DEL', merging)
  call('PEXPIRE', before, r.grace)
  r.before_range = max(range, known_range)
  call('HSET', room, 'before_range', r.before_range)
  if not is_merging() then -- for example, the first mirror after a restart without data
    call('DEL', nodes)
    r.nodes = 0
  end
  call('ZADD', nodes, max(now, r.lost_at), node)
  r.nodes = max(r.nodes, known_nodes)
  r.merged = call('ZCOUNT', nodes, text(r.lost_at), '+inf')
  moved('b', 0) -- makes the other mirrors read the line again
end

if not load_room() then return {NO_ROOM} end
if forgotten() then return {GONE_BACK} end
if r.phase_at == 0 or now < r.phase_at then advance(false) end
save_room()
if call('BITCOUNT', line) ~= call('ZCARD', queue) or call('BITCOUNT', skips) ~= call('ZCARD', skipped) then
  write_bitmaps()
  save_room()
end
local node, known_nodes = ARGV[FIRST], tonumber(ARGV[FIRST + 1])
if known_nodes > 0 and r.lost_at > 0 and now < r.lost_at + r.grace then
  merge(node, known_nodes, tonumber(ARGV[FIRST + 2]), ARGV[FIRST + 3])
elseif not is_merging() then
  register(node)
end
save_room()
return {0, call('HGETALL', room), call('LRANGE', draws, 0, -1), call('HGETALL', flow), call('ZCARD', queue),
  call('ZCARD', slots), call('GET', line) or '', call('GET', skips) or '', call('GET', before) or ''}
