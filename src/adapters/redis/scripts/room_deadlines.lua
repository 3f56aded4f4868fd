-- The due work of a room, and the beginning of every deciding script. In a script, this file follows
-- room_rules.lua.
local function prolong(p, ends)
  call('ZADD', slots, ends, p.user)
  show_inside(p.user, ends)
end

local function grace_end(p) return max(p.seen, r.floor) + r.grace end
local function fire_waiter(p)
  read_sign(p)
  if p.present and now >= absent_at(p) then
    p.present = false
    recount(p, 's')
  end
  local next_at = p.present and absent_at(p) or grace_end(p)
  if now >= next_at then return end_place(p, 'A') end
  arm(p, next_at)
  put(p)
end

local function fire_waiters()
  local handled = 0
  while true do
    local fired = call('ZRANGEBYSCORE', due, '-inf', text(now), 'WITHSCORES', 'LIMIT', 0, 20)
    if #fired == 0 then return end
    for i = 1, #fired, 2 do
      if handled >= DEADLINES_AT_ONCE then return end
      local at = tonumber(fired[i + 1])
      call('ZREM', due, fired[i])
      for user in string.gmatch(fired[i], '\n([^\n]+)') do
        handled = handled + 1
        local p = get(user)
        if p and not p.entered and at <= p.look_at then fire_waiter(p) end
      end
    end
  end
end

local function fire_deadlines()
  if not r.has_seats then end_turns() end
  for _, user in ipairs(call('ZRANGEBYSCORE', slots, '-inf', text(now), 'LIMIT', 0, DEADLINES_AT_ONCE)) do
    local p = get(user)
    local ends = slot_end(p)
    if now < ends then prolong(p, ends) else end_place(p, 'X') end
  end
  fire_waiters()
  -- Turns pass after all expiries, in line order: the result does not depend on when a script runs.
  local passing = {}
  for _, user in ipairs(call('ZRANGEBYSCORE', turns, '-inf', text(now), 'LIMIT', 0, DEADLINES_AT_ONCE)) do
    local p = get(user)
    if p and p.turn then passing[#passing + 1] = p else call('ZREM', turns, user) end
  end
  table.sort(passing, function(a, b) return a.order < b.order end)
  for _, p in ipairs(passing) do
    local was_ready = is_ready(p)
    call('ZREM', turns, p.user)
    p.turn, p.passed = false, p.passed or was_ready
    put(p)
    recount(p, was_ready and 't' or is_counted(p) and 'c' or 's')
  end
end

-- Does the due work. A second call within the same millisecond does nothing, unless `again` is true.
local function advance(again)
  if now == r.clock and not again then return end
  if pause_after > 0 and r.clock > 0 and now - r.clock > pause_after then
    r.floor = now -- no node served the room: its fans count as seen now, and turns are extended
    for _, user in ipairs(call('ZRANGE', turns, 0, -1)) do call('ZINCRBY', turns, now - r.clock, user) end
  end
  r.clock = now
  fire_deadlines()
  fill()
end

-- Begins a deciding script. Returns nil, or a code as check() does.
local function begin()
  local stop = check()
  if not stop then advance(false) end
  return stop
end

-- The place that a token names (number 0: the user's place), or a code. LOST: the token is older than a loss,
-- and its place may be restored.
local function own(user, number, epoch)
  local p = get(user)
  if number == 0 then return p, NOT_QUEUED end
  if epoch > r.epoch then return nil, NOT_QUEUED end
  if p and p.number == number then return p end
  -- The older place was restored after the newer one was given: the fan keeps the older one.
  if epoch == r.epoch and p and p.number < number then return p end
  -- A newer place inside proves that the older one had ended.
  -- A token from before the first epoch belongs to a deleted room of this name.
  if epoch < r.epoch and epoch >= r.first_epoch and not (p and p.entered and p.number > number) then
    return nil, LOST
  end
  return nil, NOT_QUEUED
end
