-- The rules of the line and of the slots, as domain/waiting_room has them. In a script, this file follows
-- room.lua.

local function get(user)
  local p = cached[user]
  if p == nil then
    local bytes = call('HGET', places, user)
    p = bytes and place_of(user, bytes)
    cached[user] = p
  end
  return p or nil
end

local function put(p) cached[p.user], dirty[p.user] = p, true end

-- A member of `due` is a time, and one text line for each user to check then. The place's `look_at` decides:
-- a later member is stale. An earlier member is valid: a node that gave the fan a shorter interval added it.
local function arm(p, at) -- the caller calls put() afterwards
  p.look_at = at
  local users = armed[at] or {}
  users[#users + 1] = p.user
  armed[at] = users
end

local function token_of(user) return main and call('HGET', tokens, user) end
local function show_inside(user, ends)
  local token = token_of(user)
  if not token then return end
  call('ZREM', shown, token)
  call('SADD', active, token)
  call('SET', main .. ':token:' .. token, user, 'PX', text(max(1, ends - now)))
end

local function show_end(user)
  local token = token_of(user)
  if not token then return end
  call('ZREM', shown, token)
  call('SREM', active, token)
  call('HDEL', tokens, user)
  call('DEL', main .. ':token:' .. token, main .. ':user:' .. user)
end

-- Each entry calls this function. It does not use max() and min(), because a call costs more than a
-- comparison.
local function slot_end(p)
  local idle = (p.seen > r.floor and p.seen or r.floor) + r.ttl
  local session = p.entered_at + r.session
  return idle < session and idle or session
end

-- Eligible: present, without a running turn, and without a turn that passed unused.
local function is_counted(p) return p.present and not p.passed and not p.turn end

-- Updates the place from the waiter's sign of life, if a node wrote a newer one (signs_of_life.h):
-- milliseconds * 1024 + the poll interval in tenths of a second.
local function read_sign(p)
  local page = seen .. ':' .. text(floor(p.number / SIGNS_PER_PAGE))
  local sign = call('BITFIELD', page, 'GET', 'u56', '#' .. text(p.number % SIGNS_PER_PAGE))[1]
  local at = floor(sign / 1024)
  if at >= p.seen then p.seen, p.tenths = at, sign % 1024 end
end

-- The fans with a running turn.
local function on_turn()
  local found = {}
  for _, user in ipairs(call('ZRANGE', turns, 0, -1)) do found[#found + 1] = get(user) end
  return found
end

-- Whether the credit of the rate may grow to the entries of a whole turn, instead of one entry: an eligible
-- fan waits, or a turn runs.
local function accrues_for_turn()
  flush()
  if line_size() > call('ZCARD', skipped) then return true end
  for _, p in ipairs(on_turn()) do if p.turn and not p.passed then return true end end
  return false
end

local function credit()
  local most = PER_ENTRY
  if not r.push and accrues_for_turn() then most = max(most, r.rate * r.turn) end
  return min(most, r.credit + max(now - r.credit_at, 0) * r.rate)
end

local function settle_credit()
  if r.rate then
    r.credit = credit()
    r.credit_at = max(r.credit_at, now)
  end
end

local function allowed()
  local free = free_slots()
  if not r.rate or free == 0 then return free end
  return min(free, floor(credit() / PER_ENTRY) + r.no_shows)
end

local function ready_edge() return edge or set_edge(r.push and 0 or allowed()) end

local function keeps_turn(p)
  if not (r.open or r.state == 'paused') or not r.has_seats or now < r.hold_until then return false end
  if do_turns_fit() then return true end
  local free, ahead = r.capacity - call('ZCARD', slots), 0
  for _, other in ipairs(on_turn()) do if other.order < p.order then ahead = ahead + 1 end end
  return ahead < free
end

local function is_ready(p)
  if r.push then return false end
  if p.turn then return keeps_turn(p) end
  if p.passed then return ready_edge() == math.huge and spare > 0 end
  return p.order <= ready_edge()
end

local function first_counted(most)
  local found, from = {}, find_counted(1)
  most = min(most, line_size() - call('ZCARD', skipped))
  while from and #found < most do
    local users = call('ZRANGE', queue, from - 1, from + min(most, 1000) - 2)
    if #users == 0 then break end
    for _, user in ipairs(users) do
      local p = get(user)
      if is_counted(p) and #found < most then found[#found + 1] = p end
    end
    from = from + #users
  end
  return found
end

local function recount(p, op)
  edge = nil
  if is_counted(p) then
    call('ZREM', skipped, p.user)
  else
    flush()
    call('ZADD', skipped, call('ZSCORE', queue, p.user), p.user)
  end
  moved(op, p.order)
end

local function leave_line(p) -- the caller logs the change afterwards
  if #lining > 0 then flush() end
  leaving[#leaving + 1] = p.user
  if waiting then waiting = waiting - 1 end
  if not is_counted(p) then
    if not p.turn then edge = nil end
    unskips = true
    moved('c', p.order)
  end
end

-- Ends the running turns. They do not count as passed.
local function end_turns()
  for _, p in ipairs(on_turn()) do
    p.turn = false
    put(p)
    recount(p, is_counted(p) and 'c' or 's')
  end
  call('DEL', turns)
end

-- `ending`: L left, P paid, X expired, A abandoned, R revoked.
local function end_place(p, ending)
  show_end(p.user)
  edge = nil
  if p.entered then
    if not p.arrived and ending == 'X' then
      moved('n', p.order)
      if r.rate and r.no_shows < r.rate then r.no_shows = r.no_shows + 1 end
    end
    flush()
    call('ZREM', slots, p.user)
    write_log_entry('e', {p.digits, p.user})
    inside_changed = true
    moved(ending, p.order)
  else
    leave_line(p)
    moved(ending, p.order)
  end
  call('HDEL', places, p.user)
  cached[p.user], dirty[p.user] = false, nil
end

local function admit(p)
  settle_credit()
  if r.no_shows > 0 then
    r.no_shows = r.no_shows - 1
  elseif r.rate then
    r.credit = r.credit - PER_ENTRY
  end
  leave_line(p)
  admitted[#admitted + 1], newcomers[#newcomers + 1] = p.order, p.user
  p.entered, p.turn, p.arrived, p.entered_at, p.seen = true, false, false, now, now
  put(p)
  p.ends = slot_end(p)
  endings[#endings + 1], endings[#endings + 2] = text(p.ends), p.user
  entering[#entering + 1], entering[#entering + 2] = p.digits, p.user
  show_inside(p.user, p.ends)
  -- A fan that enters by its own request gets the key with the answer.
  if r.push then call('SET', token_key(p.user), p.digits, 'PX', text(max(1, p.ends - now))) end
  r.serving, inside_changed = p.number, true
end

local function fill()
  if not r.open or not r.push or now < r.next_fill_at then return end
  local allowance = allowed()
  if allowance == 0 then return end
  local fans = first_counted(allowance)
  for _, p in ipairs(fans) do admit(p) end
  if r.interval > 0 and #fans > 0 then r.next_fill_at = now + r.interval end
end
