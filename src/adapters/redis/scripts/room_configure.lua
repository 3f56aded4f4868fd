-- Changes settings and phase. ARGV: the version it was decided on, '1' to forget the observed outflow, the draw that begins (text or ''),
-- the draw that ends (text or ''), its first number, its count, its positions (four little-endian bytes a comer), then fields and values.
-- Returns {0}, or {AGAIN} where the room has changed since.
local version, forget, begins, ended = tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6]
local first, comers, positions = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
if not load_room() then return {NO_ROOM} end
if forgotten() then return {GONE_BACK} end
if r.version ~= version then return {AGAIN} end
if ended ~= '' and r.last_number + 1 - first ~= comers then return {AGAIN} end
advance(true)
settle_credit()
save_room()
if ended ~= '' then
  call('LSET', draws, -1, ended)
  local users = call('ZRANGEBYSCORE', queue, first - 1, '+inf')
  for _, user in ipairs(users) do
    local p = get(user)
    p.order = first - 1 + struct.unpack('<I4', positions, (p.number - first) * 4 + 1)
    put(p)
    call('ZADD', queue, p.order, user)
    recount(p)
  end
end
if begins ~= '' then
  call('RPUSH', draws, begins)
  call('HSET', room, 'draw_first', r.last_number + 1)
end
if forget == '1' then call('DEL', flow) end
call('HSET', room, 'version', r.version + 1, unpack(ARGV, 10))
local was = {ttl = r.ttl, session = r.session, grace = r.grace, state = r.state, push = r.push}
load_room()
if r.state ~= was.state then
  r.credit, r.credit_at = min(r.credit, PER_ENTRY), now
end
if not r.rate then r.no_shows = 0 end
-- Another way in: who let a turn pass in the old one has let none pass in the new one.
if r.push ~= was.push then
  call('DEL', turns)
  for _, user in ipairs(call('ZRANGE', queue, 0, -1)) do
    local p = get(user)
    if p.passed then
      p.passed = false
      put(p)
      recount(p)
    end
  end
end
r.next_fill_at = min(r.next_fill_at, now + r.interval)
-- Other lives: deadlines that were armed would fire at the wrong time.
if r.ttl ~= was.ttl or r.session ~= was.session then
  for _, user in ipairs(call('ZRANGE', slots, 0, -1)) do call('ZADD', slots, slot_end(get(user)), user) end
end
if r.grace < was.grace then
  for _, user in ipairs(call('ZRANGE', queue, 0, -1)) do
    local p = get(user)
    arm(p, p.present and min(absent_at(p), grace_end(p)) or grace_end(p))
    put(p)
  end
  write_deadlines()
end
if r.phase_at == 0 or now < r.phase_at then advance(true) end
save_room()
return {0}
