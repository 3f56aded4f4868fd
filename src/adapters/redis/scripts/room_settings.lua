-- Writes the settings and the phase of a room, and the order of a draw: for room_configure.lua and
-- room_epoch.lua. This file follows room_mirrors.lua.

-- Calls change(place) for each user; a large room is written in parts.
local function change_all(users, change)
  for i, user in ipairs(users) do
    change(get(user))
    if i % 1000 == 0 then write_places() end
  end
end

-- Orders the waiting places of a draw, which has the numbers first … first + drawn - 1. `positions`: the new
-- index of each of them, four little-endian bytes each. Later numbers follow. The caller calls
-- write_bitmaps() afterwards.
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
end

-- Writes ARGV[from] … ARGV[to], fields and values, and makes the places fit them.
local function write_settings(from, to)
  call('HSET', room, 'version', r.version + 1, unpack(ARGV, from, to))
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
  -- A turn that passed under the other admission mode does not count in this one.
  if r.push ~= was.push then
    call('DEL', turns)
    change_all(call('ZRANGE', queue, 0, -1), function(p)
      if p.passed or p.turn then
        p.passed, p.turn = false, false
        put(p)
        recount(p, p.present and 'c' or 's')
      end
    end)
  end
  if r.state ~= was.state and not r.open and r.state ~= 'paused' then end_turns() end
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
