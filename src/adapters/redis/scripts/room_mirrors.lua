-- Which nodes mirror the room, and the bitmaps that a mirror loads: for room_tick.lua, room_configure.lua and
-- room_read.lua. This file follows room_deadlines.lua.

-- `nodes` has the nodes that mirror the room. After a loss, `r.nodes` is the number of these nodes before the
-- loss. It stays until all of them have merged their lines (room_read.lua), or MERGE_WAIT has passed.
local function is_merging() return r.merged < r.nodes and now < r.lost_at + MERGE_WAIT end

local function register(node)
  if is_merging() then return call('ZADD', nodes, 'XX', now, node) end
  call('ZADD', nodes, now, node)
  -- A node that has not ticked the room for this long (ms) does not mirror it any more.
  local lease = 10000
  call('ZREMRANGEBYSCORE', nodes, '-inf', now - lease)
  r.nodes = call('ZCARD', nodes)
  r.merged = r.nodes
end

-- Writes the bitmaps again: after a draw, and where they differ from the queue.
local function write_bitmaps()
  call('DEL', line, skips)
  r.line_sum = 0
  write_places()
  local from = 0
  repeat
    local users = call('ZRANGE', queue, from, from + 999)
    for i, bytes in ipairs(#users > 0 and call('HMGET', places, unpack(users)) or {}) do
      local p = bytes and place_of(users[i], bytes)
      if p then set_in_line(p.order, 1, 1) end
      if p and not is_counted(p) then set_bits(skips, p.order, 1, 1) end
    end
    from = from + 1000
  until #users == 0
end
