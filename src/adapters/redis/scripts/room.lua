-- One waiting room, as domain/waiting_room/waiting_room.h decides it: the part that all scripts share which decide; after room_base.lua.
--
-- A place lies in `places`; it waits (queue, and skipped while nobody waits for it) or is inside (slots), never both.
-- Who is inside is counted by being in `slots`, nothing else. Times are milliseconds, given by the caller, never going back.
local room, queue, skipped, slots, due, turns, places, count, active, flow, draws, joins, log, shown, tokens, token =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12],
  KEYS[13], KEYS[14], KEYS[15], KEYS[16]
local now, pause_after = tonumber(ARGV[1]), tonumber(ARGV[2])
local server = table.remove(ARGV) -- the run id of the Redis that runs this; another one after every start
local call, max, min, floor = redis.call, math.max, math.min, math.floor
local pack, unpack_bytes = struct.pack, struct.unpack

-- Answers that are not a standing.
local NO_ROOM, PHASE_DUE, NOT_QUEUED, NOT_YOUR_TURN, CLOSED, NOT_OPEN, LOST, AGAIN, TOO_MANY, GONE_BACK =
  -1, -2, -3, -4, -5, -6, -7, -8, -9, -10
local WAITING, READY, ENTERED = 0, 1, 2
local PER_ENTRY = 60000 -- one entry costs this much credit; a millisecond at `rate` a minute brings `rate`
local AT_ONCE = 5000    -- so many deadlines in one call, so that nobody else waits long
local LOG_MOST = 200000 -- so many notes wait for the database at most
local IN_HAND = 1000    -- so long an admission is left to whoever tells the fan of it, who writes it down first

-- Those that scripts change themselves.
local CHANGING = {'last_number', 'serving', 'clock', 'floor', 'credit', 'credit_at', 'no_shows', 'next_fill_at', 'changes', 'admitted', 'lost_front'}
local r, before -- the room, and of what was looked at, what it was

-- Most scripts need few of the numbers, and reading one from text costs more than fetching it: each is read when it is looked at.
local function load_room()
  local found = call('HMGET', room, 'epoch', 'version', 'state', 'last_number', 'serving', 'clock', 'floor', 'credit', 'credit_at', 'no_shows',
    'next_fill_at', 'hold_until', 'phase_at', 'draw_first', 'capacity', 'admission', 'rate_per_minute', 'token_ttl_ms', 'session_limit_ms',
    'turn_ms', 'grace_ms', 'admit_interval_ms', 'draining', 'opens_at', 'joins_per_address_per_minute', 'changes', 'admitted', 'lost_at',
    'lost_admitted', 'lost_front', 'server')
  if not found[1] then return false end
  local texts = {epoch = found[1], version = found[2], last_number = found[4], serving = found[5], clock = found[6], floor = found[7],
    credit = found[8], credit_at = found[9], no_shows = found[10], next_fill_at = found[11], hold_until = found[12], phase_at = found[13],
    draw_first = found[14], capacity = found[15], rate = found[17], ttl = found[18], session = found[19], turn = found[20], grace = found[21],
    interval = found[22], opens_at = found[24], joins_limit = found[25], changes = found[26] or 0, admitted = found[27] or 0,
    lost_at = found[28] or 0, lost_admitted = found[29] or 0, lost_front = found[30] or -1}
  local read = {}
  before = read
  r = setmetatable({state = found[3], open = found[3] == 'open', push = found[16] == 'push', draining = found[23] == '1',
    server = found[31] or ''}, {__index = function(self, name)
    local number = tonumber(texts[name])
    read[name], self[name] = number, number
    return number
  end})
  now = max(now, r.clock)
  return true
end

local counted_entered = false -- somebody entered or left: the published count is old
local fresh = 0               -- 1: the fan hears for the first time that it is inside

-- Numbers that many fans share are written once: a number given to Redis is printed every time, which costs more than the command.
local function text(number) return string.format('%.0f', number) end

-- What the database must remember, in lines: "a" admitted or "e" ended, the time, and of each fan its number and its user.
local function remember(what, fans)
  local note = what .. '\n' .. text(now) .. '\n' .. table.concat(fans, '\n')
  if call('RPUSH', log, note) > LOG_MOST then call('LTRIM', log, -LOG_MOST, -1) end
  return note
end
-- The first notes that the database has yet to remember, about so many: all ends, and the admissions that nobody has in hand.
local function owed(most, in_hand)
  local found, at, at_once = {}, 0, 50
  while #found < most do
    local notes = call('LRANGE', log, at, at + at_once - 1)
    for _, note in ipairs(notes) do
      local admitted_at = string.match(note, '^a\n(%d+)')
      if not admitted_at or tonumber(admitted_at) <= now - in_hand then found[#found + 1] = note end
    end
    if #notes < at_once then break end
    at = at + at_once
  end
  return found
end

-- The seed's view of `main`, for readers: queue:waiting and queue:active by token. Of other rooms the queue and the slots are the view.
local main = string.find(active, 'queue', 1, true)
local function show_inside(users)
  if not main then return end
  local known = {}
  for _, shown_token in ipairs(call('HMGET', tokens, unpack(users))) do
    if shown_token then known[#known + 1] = shown_token end
  end
  if #known > 0 then
    call('ZREM', shown, unpack(known))
    call('SADD', active, unpack(known))
  end
end
local function show_end(p)
  if not main then return end
  local known = call('HGET', tokens, p.user)
  if known then
    call('ZREM', shown, known)
    call('SREM', active, known)
    call('HDEL', tokens, p.user)
  end
end

-- Deadlines of waiters. A member of `due` is a time and everybody who is to be looked at then, a line each. Only the time that stands in the place
-- counts, so nobody is searched for there: who was given another time, entered or has gone is passed over when the old one comes.
local armed = {}
local function arm(p, at) -- to be put afterwards
  p.look_at = at
  local users = armed[at] or {}
  users[#users + 1] = p.user
  armed[at] = users
end
local function write_deadlines()
  for at, users in pairs(armed) do
    for first = 1, #users, 1000 do -- so few that a member is looked at in one call
      call('ZADD', due, at, text(at) .. '\n' .. table.concat(users, '\n', first, min(first + 999, #users)))
    end
  end
  armed = {}
end

local function save_room()
  write_deadlines()
  local changed = {}
  for _, field in ipairs(CHANGING) do
    local value = rawget(r, field)
    if value ~= before[field] then
      changed[#changed + 1] = field
      changed[#changed + 1] = value
    end
  end
  if #changed > 0 then call('HSET', room, unpack(changed)) end
  if counted_entered then call('SET', count, call('ZCARD', slots)) end
end

local PLAIN_WAITER = IS_PRESENT
local function get(user)
  local bytes = call('HGET', places, user)
  return bytes and place_of(user, bytes) or nil
end

local function put(p)
  local flags = (p.entered and IS_ENTERED or 0) + (p.present and IS_PRESENT or 0) + (p.passed and HAS_PASSED or 0)
    + (p.arrived and HAS_ARRIVED or 0)
  call('HSET', places, p.user, pack('<dI2BI4d', p.seen, p.tenths, flags, p.order, p.entered and p.entered_at or p.look_at) .. text(p.number))
end

local function absent_at(p) return max(p.seen, r.floor) + 300 * p.tenths end
local function grace_end(p) return max(p.seen, r.floor) + r.grace end
local function slot_end(p) return min(max(p.seen, r.floor) + r.ttl, p.entered_at + r.session) end

-- The allowance.
local function credit()
  local most = PER_ENTRY
  if not r.push and call('ZCARD', queue) > call('ZCARD', skipped) then most = max(most, r.rate * r.turn) end
  return min(most, r.credit + max(now - r.credit_at, 0) * r.rate)
end

local function settle_credit()
  if r.rate then
    r.credit = credit()
    r.credit_at = max(r.credit_at, now)
  end
end

local function allowed()
  if not r.open or now < r.hold_until then return 0 end
  local free = max(r.capacity - call('ZCARD', slots), 0)
  if not r.rate or free == 0 then return free end
  return min(free, floor(credit() / PER_ENTRY) + r.no_shows)
end

-- Counted are those of the queue whom others wait for: present, and did not let a turn pass.
local function is_ready(p)
  if r.push then return false end
  local allowance = allowed()
  if allowance == 0 then return false end
  local before_it = '(' .. p.order
  return call('ZCOUNT', queue, '-inf', before_it) - call('ZCOUNT', skipped, '-inf', before_it) < allowance
end

-- Where the `wanted`th counted fan stands in the queue (the first: 1) and in the order, or nil: there are fewer.
local function find_counted(wanted)
  local low, high = wanted, wanted + call('ZCARD', skipped)
  local standing, order
  while low <= high do
    local middle = floor((low + high) / 2)
    local fan = call('ZRANGE', queue, middle - 1, middle - 1, 'WITHSCORES')
    if fan[2] and middle - call('ZCOUNT', skipped, '-inf', fan[2]) < wanted then
      low = middle + 1
    else
      if fan[2] then standing, order = middle, tonumber(fan[2]) end
      high = middle - 1
    end
  end
  return standing, order
end

-- Ready is every counted fan up to this place in the order. -1: nobody.
local function ready_until()
  local allowance = r.push and 0 or allowed()
  if allowance == 0 then return -1 end
  local _, order = find_counted(allowance)
  return order or math.huge
end

local function first_counted(most)
  local found, from = {}, find_counted(1)
  most = min(most, call('ZCARD', queue) - call('ZCARD', skipped))
  while from and #found < most do
    local users = call('ZRANGE', queue, from - 1, from + min(most, 1000) - 2)
    if #users == 0 then break end
    for _, user in ipairs(users) do
      local p = get(user)
      if p.present and not p.passed and #found < most then found[#found + 1] = p end
    end
    from = from + #users
  end
  return found
end

local function recount(p)
  if p.entered or (p.present and not p.passed) then
    call('ZREM', skipped, p.user)
  else
    call('ZADD', skipped, p.order, p.user)
  end
end

-- It waits no more.
local function leave_queue(p)
  call('ZREM', queue, p.user)
  call('ZREM', skipped, p.user)
  call('ZREM', turns, p.user)
end

local function end_place(p, expired)
  r.changes = r.changes + 1
  show_end(p)
  if p.entered then
    if not p.arrived and expired and r.rate and r.no_shows < r.rate then r.no_shows = r.no_shows + 1 end
    call('ZREM', slots, p.user)
    remember('e', {text(p.number), p.user})
    counted_entered = true
  else
    leave_queue(p)
  end
  call('HDEL', places, p.user)
end

-- So many were admitted, that number last, none further behind in the order than `front`.
local function count_admitted(fans, last, front)
  if r.lost_at > 0 then r.lost_front = max(r.lost_front, front) end
  r.changes, r.admitted, r.serving = r.changes + fans, r.admitted + fans, last
  counted_entered = true
  local step = floor(now / 10000)
  call('HINCRBY', flow, step, fans)
  call('HDEL', flow, step - 61)
end

local function admit(p)
  settle_credit()
  if r.no_shows > 0 then
    r.no_shows = r.no_shows - 1
  elseif r.rate then
    r.credit = r.credit - PER_ENTRY
  end
  leave_queue(p)
  p.entered, p.arrived, p.entered_at, p.seen = true, false, now, now
  put(p)
  call('ZADD', slots, slot_end(p), p.user)
  show_inside({p.user})
  remember('a', {text(p.number), p.user})
  count_admitted(1, p.number, p.order)
end

local function fill()
  if not r.open or not r.push or now < r.next_fill_at then return end
  local allowance = allowed()
  if allowance == 0 then return end
  local fans = first_counted(allowance)
  for _, p in ipairs(fans) do admit(p) end
  if r.interval > 0 and #fans > 0 then r.next_fill_at = now + r.interval end
end

local function fire_waiter(p)
  if p.present and now >= absent_at(p) then
    p.present = false
    recount(p)
  end
  local next_at = p.present and absent_at(p) or grace_end(p)
  if now >= next_at then return end_place(p, false) end
  arm(p, next_at)
  put(p)
end

local function fire_waiters()
  local looked_at = 0
  while true do
    local fired = call('ZRANGEBYSCORE', due, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 20)
    if #fired == 0 then return end
    for i = 1, #fired, 2 do
      if looked_at >= AT_ONCE then return end
      local at = tonumber(fired[i + 1])
      call('ZREM', due, fired[i])
      for user in string.gmatch(fired[i], '\n([^\n]+)') do
        looked_at = looked_at + 1
        local p = get(user)
        if p and not p.entered and p.look_at == at then fire_waiter(p) end
      end
    end
  end
end

local function fire_deadlines()
  for _, user in ipairs(call('ZRANGEBYSCORE', slots, '-inf', now, 'LIMIT', 0, AT_ONCE)) do
    local p = get(user)
    local ends = slot_end(p)
    if now < ends then call('ZADD', slots, ends, user) else end_place(p, true) end
  end
  fire_waiters()
  -- After everything that ended by now has ended, and from the front: whether a turn was there to be taken does not depend on
  -- when somebody looked.
  local passing = {}
  for _, user in ipairs(call('ZRANGEBYSCORE', turns, '-inf', now, 'LIMIT', 0, AT_ONCE)) do passing[#passing + 1] = get(user) end
  table.sort(passing, function(a, b) return a.order < b.order end)
  for _, p in ipairs(passing) do
    call('ZREM', turns, p.user)
    if is_ready(p) then
      p.passed = true
      put(p)
      recount(p)
    end
  end
end

-- Does what has become due. Within one millisecond nothing more becomes due: the second caller is done at once.
local function advance(again)
  if now == r.clock and not again then return end
  if pause_after > 0 and r.clock > 0 and now - r.clock > pause_after then r.floor = now end
  r.clock = now
  fire_deadlines()
  fill()
end

-- Something acknowledged may be missing: another Redis served the room last (a failover, a restart), or it knows of less than the caller.
local function forgotten(known_epoch, known_changes, known_number)
  if r.server ~= server then return true end
  if not known_epoch then return false end
  return knows_less(r.epoch, r.changes, r.last_number, tonumber(known_epoch), tonumber(known_changes), tonumber(known_number))
end

-- Nil, or why not: the room is not there, it may have forgotten what the caller knows to have happened, or a phase is due that the caller must
-- lead it into first.
local function begin(known_epoch, known_changes, known_number)
  if not load_room() then return NO_ROOM end
  if forgotten(known_epoch, known_changes, known_number) then return GONE_BACK end
  if r.phase_at > 0 and now >= r.phase_at then return PHASE_DUE end
  advance(false)
  return nil
end

-- The place a claim means: number 0 is whatever place the user has. A number of an epoch that was lost may be put back.
local function own(user, number, epoch)
  local p = get(user)
  if number == 0 then return p, NOT_QUEUED end
  if epoch > r.epoch then return nil, NOT_QUEUED end
  if p and p.number == number then return p end
  -- An older place came back after the newer one was given: it is the fan's.
  if epoch == r.epoch and p and p.number < number then return p end
  -- A newer place proves that the older one, which came back with old data or from the database, had ended.
  if epoch < r.epoch and not (p and p.entered and p.number > number) then return nil, LOST end
  return nil, NOT_QUEUED
end

-- After a loss fans come back one by one, until the grace is over: till then a rank counted here would rise. How many of before this
-- place in the order were admitted since then, or -1: all who may come back have come back, or -2: nobody knows, since some came from behind it.
local function settled(order)
  if r.lost_at == 0 or now >= r.lost_at + r.grace then return -1 end
  return order > r.lost_front and r.admitted - r.lost_admitted or -2
end

-- What a fan is told.
local function poll_interval(p, rank)
  local wait
  if p.entered then
    wait = max(250, min(30000, floor(r.ttl / 4)))
  elseif rank < 0 then
    wait = r.opens_at and max(1000, min(10000, floor((r.opens_at - now) / 4))) or 10000
  else
    wait = rank < 50 and 1000 or rank < 500 and 2000 or rank < 5000 and 4000 or rank < 50000 and 8000
      or rank < 500000 and 15000 or rank < 2000000 and 20000 or 60000
    if r.state == 'paused' then wait = max(wait, 5000) end
  end
  return wait
end

-- Up to an eighth earlier, different for everybody and every time.
local function jittered(wait, number) return wait - (number * 7919 + now) % (floor(wait / 8) + 1) end

-- Returns what is told, and the interval without its jitter.
local function standing(p)
  if p.entered then
    local interval = poll_interval(p, 0)
    return {ENTERED, p.number, 0, jittered(interval, p.number), slot_end(p), p.entered_at, p.entered_at + r.session, r.version, r.epoch},
      interval
  end
  local rank = -1
  if r.state ~= 'pre-queue' or p.number < r.draw_first then rank = call('ZRANK', queue, p.user) end
  local status, ends = WAITING, 0
  if is_ready(p) then
    status = READY
    ends = tonumber(call('ZSCORE', turns, p.user) or 0)
  end
  local interval = poll_interval(p, rank)
  return {status, p.number, rank, jittered(interval, p.number), ends, 0, 0, r.version, r.epoch}, interval
end

local function mark_seen(p)
  p.seen = now
  if p.entered then
    if not p.arrived then fresh = 1 end
    p.arrived = true
  elseif not p.present then
    p.present, p.passed = true, false
    settle_credit()
    recount(p)
    arm(p, absent_at(p))
    return true
  end
  return false
end

-- Remembers what was told: the next poll is expected by it, and a turn begins when the fan hears of it.
local function tell(p)
  local told, interval = standing(p)
  if p.entered then
    call('ZADD', slots, slot_end(p), p.user)
    call('SET', token, p.number, 'PX', max(1, slot_end(p) - now))
  else
    if told[1] == READY and not p.passed and told[5] == 0 then
      told[5] = now + r.turn
      call('ZADD', turns, told[5], p.user)
    end
    local tenths = floor((interval + 99) / 100)
    local sooner = tenths < p.tenths
    p.tenths = tenths
    if sooner then arm(p, absent_at(p)) end
  end
  put(p)
  told[10], told[11], told[12], told[13] = 0, fresh, r.changes, settled(p.order)
  return told
end

local function poll(p)
  if mark_seen(p) then
    put(p)
    fill()
    p = get(p.user)
  end
  return tell(p)
end

-- Puts a fan back where it was before a loss, inside (`entered_at`) or waiting (0). Who came anew after the loss, and waits, gets its older place.
local function put_back(user, number, order, entered_at)
  local known = get(user)
  if known and known.number == number and (known.entered or entered_at == 0) then return end
  if known then end_place(known, false) end
  local p = {user = user, number = number, order = order, seen = now, entered_at = entered_at, tenths = 10, present = true}
  r.last_number = max(r.last_number, number)
  r.changes = r.changes + 1
  if entered_at > 0 then
    p.entered, p.arrived = true, true
    put(p)
    call('ZADD', slots, slot_end(p), user)
    show_inside({user})
    counted_entered = true
  else
    call('ZADD', queue, p.order, user)
    arm(p, absent_at(p))
    put(p)
  end
end
