-- Changes settings and phase. ARGV: the version of the room for which the node decided the change; '1' to
-- reset the observed outflow; the draw that begins ('': none); the draw that ends ('': none), and the new
-- index of each of its places (four little-endian bytes each); then fields and values. Returns {AGAIN} where
-- the room has changed since.

-- Calls change(place) for each user; a large room is written in parts.
local function change_all(users, change)
  for i, user in ipairs(users) do
    change(get(user))
    if i % 1000 == 0 then write_places() end
  end
end

local version, reset_flow, begins, ended, positions = unpack(ARGV, FIRST, FIRST + 4)
local first, drawn = string.match(ended, '^(%d+) (%d+)')
first, drawn = tonumber(first), tonumber(drawn)
if not load_room() then return {NO_ROOM} end
if forgotten() then return {GONE_BACK} end
if r.version ~= tonumber(version) then return {AGAIN} end
if first and r.last_number + 1 - first ~= drawn then return {AGAIN} end
advance(true)
settle_credit()
save_room()
if first then
  call('LSET', draws, -1, ended)
  call('HSET', room, 'draw_first', 0)
  local opening = max(now * 1000, r.last_score)
  change_all(call('ZRANGE', queue, 0, -1), function(p)
    if p.number < first then return end
    local position = struct.unpack('<I4', positions, (p.number - first) * 4 + 1)
    p.order = first - 1 + position
    put(p)
    local score, token = text(opening + position), token_of(p.user)
    call('ZADD', queue, score, p.user)
    if not is_counted(p) then call('ZADD', skipped, score, p.user) end
    if token then call('ZADD', shown, 'XX', score, token) end
  end)
  r.last_score = opening + drawn
  write_bitmaps()
end
if begins ~= '' then
  call('RPUSH', draws, begins)
  call('HSET', room, 'draw_first', r.last_number + 1)
end
if reset_flow == '1' then call('DEL', flow) end
call('HSET', room, 'version', r.version + 1, unpack(ARGV, FIRST + 5))
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
if r.phase_at == 0 or now < r.phase_at then advance(true) end
return reply()
