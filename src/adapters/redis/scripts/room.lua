-- One waiting room, decided as domain/waiting_room decides: what the deciding scripts share. It follows
-- room_base.lua and the domain's constants (room_scripts.cpp).
--
-- A place lies in `places`. It waits (`queue`; also `skipped` while others do not wait for it) or is inside
-- (`slots`). A score of `queue` and `skipped` is when the place joined, in microseconds, and strictly
-- ascends with the order; two scores differ by at least as much as their orders. The size of `slots` is the
-- number of fans inside. Each change of the order is appended to `changes`, which the nodes' mirrors follow;
-- `line` and `skips` are the same order as bitmaps, for a mirror that begins.
--
-- ARGV: the time (milliseconds, by the caller; a room's time never goes back); the pause after which
-- absences do not count; what the caller knows of the room (epoch, changes, highest number); the change that
-- its mirror has reached (-1: none); from ARGV[FIRST] the script's own arguments; last Redis's run id.
local room, queue, skipped, slots, due, turns, places, count, active, flow, draws, joins, log, shown, tokens,
  changes, line, skips, seen, before, nodes, merging = unpack(KEYS, 1, 22)
local FIRST = 7
local server = table.remove(ARGV)
local now, pause_after, known_epoch = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local known_changes, known_number, mirror_at = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local call, max, min, floor = redis.call, math.max, math.min, math.floor

-- Codes of replies that are not a decision, and of fans that are refused.
local NO_ROOM, PHASE_DUE, NOT_QUEUED, NOT_YOUR_TURN, CLOSED, NOT_OPEN, LOST, AGAIN, TOO_MANY, GONE_BACK,
  SOLD_OUT = -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11
local WAITING, READY, ENTERED = 0, 1, 2
-- Flags of an answer: a new place; the first answer that says "entered"; the token is not written for readers
-- yet.
local IS_NEW, ENTERED_NOW, UNSHOWN = 1, 2, 4
local DEADLINES_AT_ONCE = 5000   -- the maximum of deadlines per call, so that other scripts wait briefly
local LOG_ENTRIES_KEPT = 200000        -- the maximum of log entries that wait for the database
local CHANGES_KEPT = 10000
local NODE_LEASE = 10000 -- a node that has not ticked the room for this long does not mirror it
local IN_HAND = 1000 -- an admission younger than this is recorded by the node that answers the fan
local CHANGING = {'last_number', 'serving', 'clock', 'floor', 'credit', 'credit_at', 'no_shows',
  'next_fill_at', 'changes', 'line_sum', 'nodes', 'merged', 'last_score'}
local SUMS = 4294967296 -- line_sum: the sum of all orders in line, modulo this
local r, loaded -- the room, and the fields that were read, as they were

-- A number is parsed when it is first used: most scripts need few of them.
local function load_room()
  local found = call('HMGET', room, 'state', 'admission', 'draining', 'server', 'epoch', 'version',
    'last_number', 'serving', 'clock', 'floor', 'credit', 'credit_at', 'no_shows', 'next_fill_at',
    'hold_until', 'phase_at', 'draw_first', 'capacity', 'rate_per_minute', 'token_ttl_ms', 'session_limit_ms',
    'turn_ms', 'grace_ms', 'admit_interval_ms', 'opens_at', 'joins_per_address_per_minute', 'changes',
    'lost_at', 'before_range', 'line_sum', 'nodes', 'merged', 'last_score', 'lost_number', 'base_score',
    'has_seats', 'opened_at')
  if not found[5] then return false end
  local texts = {epoch = found[5], version = found[6], last_number = found[7], serving = found[8],
    clock = found[9], floor = found[10], credit = found[11], credit_at = found[12], no_shows = found[13],
    next_fill_at = found[14], hold_until = found[15], phase_at = found[16], draw_first = found[17],
    capacity = found[18], rate = found[19], ttl = found[20], session = found[21], turn = found[22],
    grace = found[23], interval = found[24], opens_at = found[25], joins_limit = found[26],
    changes = found[27] or 0, lost_at = found[28] or 0, before_range = found[29] or 0,
    line_sum = found[30] or 0, nodes = found[31] or 0, merged = found[32] or 0, last_score = found[33] or 0,
    lost_number = found[34] or 0, base_score = found[35] or 0, opened_at = found[37] or 0}
  local read = {}
  loaded = read
  r = setmetatable({state = found[1], open = found[1] == 'open', push = found[2] == 'push',
    draining = found[3] == '1', has_seats = found[36] ~= '0',
    server = found[4] or ''}, {__index = function(self, name)
    local number = tonumber(texts[name]) or false
    read[name], self[name] = number, number
    return number
  end})
  now = max(now, r.clock)
  return true
end

-- Formats a whole number once: Redis would format it for each command, at a higher cost than the command.
local function text(number) return string.format('%d', number) end

local function call_many(command, key, words)
  for from = 1, #words, 1000 do call(command, key, unpack(words, from, min(from + 999, #words))) end
end

-- Writes are collected, and sent together before a command reads what they change, or at the end.
local cached, dirty = {}, {}                -- places by user (false: none); users of places to be written
local lining, leaving, endings = {}, {}, {}      -- queue: score and user; queue: user; slots: score and user
local armed, entering = {}, {}       -- due: users by time; admissions: number and user in turn
local joined, moves = 0, {}                      -- changes of the order: new places, then others
local waiters, waited = {}, {}                   -- users that are admitted; their waits (count_wait)
local inside_changed, unskips = false, false     -- unskips: a user in `leaving` is in `skipped`
local edge, spare, turns_fit, waiting -- see ready_edge(), keeps_turn() and line_size()
local function flush()
  if #leaving > 0 then
    for from = 1, #waiters, 1000 do
      local scores = call('ZMSCORE', queue, unpack(waiters, from, min(from + 999, #waiters)))
      for _, score in ipairs(scores) do count_wait(waited, now, score, r.opened_at) end
    end
    call_many('ZREM', queue, leaving)
    call_many('ZREM', turns, leaving)
    if unskips then call_many('ZREM', skipped, leaving) end
  end
  if #lining > 0 then call_many('ZADD', queue, lining) end
  if #endings > 0 then call_many('ZADD', slots, endings) end
  lining, leaving, waiters, endings, unskips = {}, {}, {}, {}, false
end

local function line_size()
  if not waiting then
    flush()
    waiting = call('ZCARD', queue)
  end
  return waiting
end

local function get(user)
  local p = cached[user]
  if p == nil then
    local bytes = call('HGET', places, user)
    p = bytes and place_of(user, bytes)
    cached[user] = p
  end
  return p or nil
end

local function load_places(users)
  if #users == 0 then return end
  for i, bytes in ipairs(call('HMGET', places, unpack(users))) do
    local user = users[i]
    if cached[user] == nil then cached[user] = bytes and place_of(user, bytes) end
  end
end

local function put(p) cached[p.user], dirty[p.user] = p, true end

local function write_places()
  local words = {}
  for user in pairs(dirty) do
    local p = cached[user]
    local flags = (p.entered and IS_ENTERED or 0) + (p.present and IS_PRESENT or 0)
      + (p.passed and HAS_PASSED or 0) + (p.arrived and HAS_ARRIVED or 0) + (p.turn and HAS_TURN or 0)
    local at = p.entered and p.entered_at or p.look_at
    words[#words + 1] = user
    words[#words + 1] = struct.pack('<dI2BI4d', p.seen, p.tenths, flags, p.order, at) .. p.digits
  end
  call_many('HSET', places, words)
  cached, dirty = {}, {}
end

-- A member of `due` is a time, and one text line for each user to check then. The time in the place decides:
-- a later entry is stale; an earlier entry was added by a node that gave the fan a shorter interval.
local function arm(p, at) -- call put() afterwards
  p.look_at = at
  local users = armed[at] or {}
  users[#users + 1] = p.user
  armed[at] = users
end

-- Logs a change of the order. Joins are '+'; the letters of the other changes: mirror.h.
local function moved(op, order) moves[#moves + 1], moves[#moves + 2] = op, order end
local function set_in_line(order, at, bit)
  if call('SETBIT', line, at, bit) == bit then return end
  r.line_sum = (r.line_sum + (bit == 1 and order or -order)) % SUMS
end

-- `at`: the order as text.
local NO_BIT, SKIPS = {b = true, n = true}, {s = 1, t = 1, c = 0}
local function write_move(op, order, at, held)
  if NO_BIT[op] then return end
  if SKIPS[op] then return call('SETBIT', skips, at, SKIPS[op]) end
  set_in_line(order, at, op == '^' and 1 or 0)
  if op ~= '^' and order < held then call('SETBIT', before, at, 0) end
end
local function write_changes()
  if joined == 0 and #moves == 0 then return end
  local words = {}
  local first = r.last_number - joined
  waited = add_tally(room .. ':tally', first, joined, moves, waited)
  if joined > 0 then
    words[1] = '+' .. text(first) .. ':' .. joined
    local bits = {}
    for at = first, r.last_number - 1, 32 do
      local width = min(32, r.last_number - at)
      local n = #bits
      bits[n + 1], bits[n + 2], bits[n + 3], bits[n + 4] = 'SET', 'u' .. width, text(at), text(2 ^ width - 1)
    end
    call_many('BITFIELD', line, bits)
    r.line_sum = (r.line_sum + joined * (first + r.last_number - 1) / 2) % SUMS
  end
  local held = r.lost_at > 0 and now < r.lost_at + r.grace and r.before_range or 0
  for i = 1, #moves, 2 do
    local op, order = moves[i], moves[i + 1]
    local at = text(order)
    words[#words + 1] = op .. at
    write_move(op, order, at, held)
  end
  r.changes = r.changes + 1
  local entry = text(r.changes) .. ' ' .. text(now) .. ' ' .. table.concat(words, ' ')
  if call('RPUSH', changes, entry) > CHANGES_KEPT + 1000 then call('LTRIM', changes, -CHANGES_KEPT, -1) end
  joined, moves = 0, {}
end

-- Appends a log entry for the database: 'a' (admitted) or 'e' (ended), the time, and number and user of each
-- fan, one text line each.
local function write_log_entry(what, fans)
  local entry = what .. '\n' .. text(now) .. '\n' .. table.concat(fans, '\n')
  if call('RPUSH', log, entry) > LOG_ENTRIES_KEPT then call('LTRIM', log, -LOG_ENTRIES_KEPT, -1) end
  return entry
end

-- The oldest log entries that wait for the database, about `most` of them: ends, and admissions that no node
-- records by itself.
local function waiting_log_entries(most, in_hand)
  local found, at, at_once = {}, 0, 50
  while #found < most do
    local entries = call('LRANGE', log, at, at + at_once - 1)
    for _, entry in ipairs(entries) do
      local admitted_at = string.match(entry, '^a\n(%d+)')
      if not admitted_at or tonumber(admitted_at) <= now - in_hand then found[#found + 1] = entry end
    end
    if #entries < at_once then break end
    at = at + at_once
  end
  return found
end

-- For readers of `main`, by token: queue:waiting, queue:active, queue:token:<token> (of a fan inside it
-- expires with the slot) and queue:user:<user>. A node writes them first (room_show.lua). Other rooms are
-- read in queue and slots.
local main = string.match(active, '^({?queue}?):active$')
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

-- The key token:42:minji, which a fan has while it is inside.
local token_prefix
local function token_key(user)
  token_prefix = token_prefix or string.gsub(count, '^token:count:', 'token:') .. ':'
  return token_prefix .. user
end

-- Writes all admissions of a script as one log entry, and counts them once in the outflow. Returns the entry.
local function write_admissions()
  if #entering == 0 then return '' end
  local step = floor(now / 10000)
  call('HINCRBY', flow, step, #entering / 2)
  call('HDEL', flow, step - 61)
  local entry = write_log_entry('a', entering)
  entering = {}
  return entry
end

local function save_room()
  for at, users in pairs(armed) do
    for first = 1, #users, 1000 do -- 1000 users per member, so that one call can handle a member
      local some = table.concat(users, '\n', first, min(first + 999, #users))
      call('ZADD', due, text(at), text(at) .. '\n' .. some)
    end
  end
  armed = {}
  flush()
  write_admissions()
  write_changes()
  write_places()
  local fields = {}
  for _, field in ipairs(CHANGING) do
    local value = rawget(r, field)
    if value ~= loaded[field] then
      fields[#fields + 1], fields[#fields + 2] = field, value == floor(value) and text(value) or value
    end
  end
  if #fields > 0 then call('HSET', room, unpack(fields)) end
  if inside_changed then call('SET', count, call('ZCARD', slots)) end
end

-- The reply of every deciding script: 0, the room's head, the changes after the caller's mirror (nil: the
-- mirror cannot follow and must be loaded again), then the script's own values.
local function reply(...)
  save_room()
  local missed, entries = r.changes - mirror_at, false
  if mirror_at >= 0 and known_epoch == r.epoch and missed >= 0 and missed <= CHANGES_KEPT then
    entries = missed > 0 and call('LRANGE', changes, -missed, -1) or {}
  end
  local inside, in_line = call('ZCARD', slots), call('ZCARD', queue)
  return {0, {r.epoch, r.changes, r.version, r.serving, inside, in_line, r.line_sum, r.nodes}, entries, ...}
end

-- `nodes` has the nodes that mirror the room. After a loss `r.nodes` is their number before it, until all of
-- them have merged what they knew of the line (room_read.lua) or MERGE_WAIT has passed.
local function is_merging() return r.merged < r.nodes and now < r.lost_at + MERGE_WAIT end
local function register(node)
  if is_merging() then return call('ZADD', nodes, 'XX', now, node) end
  call('ZADD', nodes, now, node)
  call('ZREMRANGEBYSCORE', nodes, '-inf', now - NODE_LEASE)
  r.nodes = call('ZCARD', nodes)
  r.merged = r.nodes
end

local function absent_at(p) return max(p.seen, r.floor) + MISSED_POLLS * 100 * p.tenths end
local function grace_end(p) return max(p.seen, r.floor) + r.grace end
-- Without max() and min(): each entry calls it, and a call costs more than a comparison.
local function slot_end(p)
  local idle = (p.seen > r.floor and p.seen or r.floor) + r.ttl
  local session = p.entered_at + r.session
  return idle < session and idle or session
end
-- Eligible: present, without a running turn, and without a turn that passed unused.
local function is_counted(p) return p.present and not p.passed and not p.turn end

-- Writes the bitmaps again: after a draw, and where they differ from the queue.
local function write_bitmaps()
  call('DEL', line, skips)
  r.line_sum = 0
  local from = 0
  repeat
    local users = call('ZRANGE', queue, from, from + 999)
    load_places(users)
    for _, user in ipairs(users) do
      local p = get(user)
      if p then set_in_line(p.order, text(p.order), 1) end
      if p and not is_counted(p) then call('SETBIT', skips, text(p.order), 1) end
    end
    write_places()
    from = from + 1000
  until #users == 0
end

-- A waiter's newest poll, if a node wrote it (signs_of_life.h): milliseconds * 1024 + promised tenths.
local function read_sign(p)
  local page = seen .. ':' .. text(floor(p.number / SIGNS_PER_PAGE))
  local sign = call('BITFIELD', page, 'GET', 'u56', '#' .. text(p.number % SIGNS_PER_PAGE))[1]
  local at = floor(sign / 1024)
  if at >= p.seen then p.seen, p.tenths = at, sign % 1024 end
end

-- The ready fans with a running turn.
local function on_turn()
  local found = {}
  for _, user in ipairs(call('ZRANGE', turns, 0, -1)) do found[#found + 1] = get(user) end
  return found
end

-- The allowance. It accrues for a whole turn while a fan is about to enter.
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
  if not r.open or not r.has_seats or now < r.hold_until then return 0 end
  flush()
  local free = max(r.capacity - call('ZCARD', slots), 0)
  if not r.rate or free == 0 then return free end
  return min(free, floor(credit() / PER_ENTRY) + r.no_shows)
end

-- The positions of the `wanted`th eligible fan in the queue (from 1) and in the order; nil: there are fewer.
local function find_counted(wanted)
  flush()
  local low, high = wanted, wanted + call('ZCARD', skipped)
  local standing, user
  while low <= high do
    local middle = floor((low + high) / 2)
    local fan = call('ZRANGE', queue, middle - 1, middle - 1, 'WITHSCORES')
    if fan[2] and middle - call('ZCOUNT', skipped, '-inf', fan[2]) < wanted then
      low = middle + 1
    else
      if fan[2] then standing, user = middle, fan[1] end
      high = middle - 1
    end
  end
  return standing, user and get(user).order
end

-- The last order up to which eligible waiters without a turn are ready (-1: none). Infinite: all eligible
-- ones, and `spare` others. Cached until a change may move it; a turn that begins or is used does not.
local function ready_edge()
  if edge then return edge end
  local allowance = r.push and 0 or allowed()
  if allowance > 0 then allowance = allowance - call('ZCARD', turns) end
  edge = -1
  if allowance > 0 then
    local _, order = find_counted(allowance)
    edge = order or math.huge
    spare = allowance - (line_size() - call('ZCARD', skipped))
  end
  return edge
end

-- A lowered capacity may leave fewer free slots than turns: the first places keep their turns.
local function keeps_turn(p)
  if not (r.open or r.state == 'paused') or not r.has_seats or now < r.hold_until then return false end
  if turns_fit then return true end -- an entry since then took one slot and ended one turn
  flush()
  local free = r.capacity - call('ZCARD', slots)
  turns_fit = call('ZCARD', turns) <= free
  if turns_fit then return true end
  local ahead = 0
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

local function leave_line(p, op)
  if #lining > 0 then flush() end
  leaving[#leaving + 1] = p.user
  if waiting then waiting = waiting - 1 end
  if not is_counted(p) then
    if not p.turn then edge = nil end
    unskips = true
    moved('c', p.order)
  end
  moved(op, p.order)
end

-- Ends running turns; they count as not given.
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
    leave_line(p, ending)
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
  leave_line(p, '>')
  waiters[#waiters + 1] = p.user
  p.entered, p.turn, p.arrived, p.entered_at, p.seen = true, false, false, now, now
  put(p)
  p.ends = slot_end(p)
  endings[#endings + 1], endings[#endings + 2] = text(p.ends), p.user
  entering[#entering + 1], entering[#entering + 2] = p.digits, p.user
  show_inside(p.user, p.ends)
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
