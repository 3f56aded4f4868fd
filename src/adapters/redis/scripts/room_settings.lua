-- Writes the settings, the phase and the draws of a room: for room_configure.lua and room_epoch.lua. This
-- file follows room_mirrors.lua.

-- Calls change(place) for each user; a large room is written in parts.
local function change_all(users, change)
  for i, user in ipairs(users) do
    change(get(user))
    if i % 1000 == 0 then write_places() end
  end
end

-- Orders the waiting places of a draw, which has the numbers first … first + drawn - 1. `positions`: the new
-- index of each of them, four little-endian bytes each. Later numbers follow.
local function order_places(first, drawn, positions)
  local opening = max(now * 1000, r.last_score)
  change_all(call('ZRANGE', queue, 0, -1), function(p)
    if p.number < first then return end
    local position = p.number - first
    if position < drawn then position = struct.unpack('<I4', positions, position * 4 + 1) end
    p.order = first - 1 + position
    put(p)
    local score, token = text(opening + position), token_of(p.user)
    call('ZADD', queue, score, p.user)
    if not is_counted(p) then call('ZADD', skipped, score, p.user) end
    if token then call('ZADD', shown, 'XX', score, token) end
  end)
  r.last_score = opening + max(drawn, r.last_number + 1 - first)
  call('DEL', before) -- it has the order without this draw
end

local function write_draws(from, to)
  local has_ordered = false
  call('DEL', draws)
  for at = from, to, 2 do
    local draw, positions = ARGV[at], ARGV[at + 1]
    call('RPUSH', draws, draw)
    if positions ~= '' then
      local first, drawn = string.match(draw, '^(%d+) (%d+)')
      order_places(tonumber(first), tonumber(drawn), positions)
      has_ordered = true
    end
  end
  if has_ordered then write_bitmaps() end
end

-- Writes the record in ARGV[from] … ARGV[to], and makes the places fit it. The record is the number of draws;
-- the text and the positions of each draw ('': the places have that order, or there is none yet); then fields
-- and values.
local function write_record(from, to)
  local fields_at = from + 1 + 2 * tonumber(ARGV[from])
  write_draws(from + 1, fields_at - 1)
  call('HSET', room, unpack(ARGV, fields_at, to))
  save_room()
  local was = {ttl = r.ttl, session = r.session, grace = r.grace, state = r.state, push = r.push}
  load_room()
  edge = nil
  if r.open and (was.state == 'scheduled' or was.state == 'pre-queue') then
    r.opened_at = now -- waits begin here
    call('HSET', room, 'opened_at', text(now))
  end
  if r.state ~= was.state then
    r.credit, r.credit_at = min(r.credit, PER_ENTRY), now
  end
  if not r.rate then r.no_shows = 0 end
  local keeps_turns = r.state == was.state or r.open or r.state == 'paused'
  if r.push ~= was.push or not keeps_turns then end_turns() end
  -- A turn that passed under the other admission mode does not count in this one.
  if r.push ~= was.push then
    change_all(call('ZRANGE', queue, 0, -1), function(p)
      if p.passed then
        p.passed = false
        put(p)
        recount(p, is_counted(p) and 'c' or 's')
      end
    end)
  end
  r.next_fill_at = min(r.next_fill_at, now + r.interval)
  -- Deadlines by the old settings would fire at the wrong time.
  if r.ttl ~= was.ttl or r.session ~= was.session then
    change_all(call('ZRANGE', slots, 0, -1), function(p) prolong(p, slot_end(p)) end)
  end
  if r.grace < was.grace then
    change_all(call('ZRANGE', queue, 0, -1), function(p)
      arm(p, p.present and min(absent_at(p), grace_end(p)) or grace_end(p))
      put(p)
    end)
  end
  save_room()
end
