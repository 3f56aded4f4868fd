-- Code that the deciding scripts of a waiting room share. They decide as domain/waiting_room does. In a
-- script, this file follows room_base.lua and the domain's constants (room_scripts.cpp).
--
-- `places` has every place. A place waits (`queue`) or is inside (`slots`); a waiting place that is not
-- eligible is also in `skipped`. A score of `queue` and `skipped` is when the place joined, in microseconds,
-- and strictly ascends with the order; two scores differ by at least as much as their orders. The size of
-- `slots` is the number of fans inside. Each change of the order is appended to `changes`, which the nodes'
-- mirrors follow. `line` and `skips` are the same order as bitmaps, from which a node loads a new mirror.
--
-- ARGV: the node's time (milliseconds; a room's time never goes back); after how long without any call
-- absences do not count; what the node knows of the room (epoch, changes, highest number); the change that
-- its mirror has reached (-1: none); from ARGV[FIRST] the script's own arguments; last Redis's run id.
local room, queue, count, active, shown, skipped, slots, due, turns, places, flow, draws, joins, log, tokens,
  changes, line, skips, seen, before, nodes, merging = unpack(KEYS, 1, 22)
local FIRST = 7
local server = table.remove(ARGV)
local now, pause_after, known_epoch = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local known_changes, known_number, mirror_at = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local call, max, min, floor = redis.call, math.max, math.min, math.floor

-- Codes of a reply without a decision, and of an answer that refuses a fan.
local NO_ROOM, PHASE_DUE, NOT_QUEUED, NOT_YOUR_TURN, CLOSED, NOT_OPEN, LOST, AGAIN, TOO_MANY, GONE_BACK,
  SOLD_OUT = -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11
local WAITING, READY, ENTERED = 0, 1, 2
-- Flags of an answer: a new place; the first answer that says "entered"; the token is not written for readers
-- yet.
local IS_NEW, ENTERED_NOW, UNSHOWN = 1, 2, 4
local DEADLINES_AT_ONCE = 5000   -- the maximum per call, so that other scripts wait briefly
local CHANGES_KEPT = 10000
local IN_HAND = 1000 -- milliseconds; the node that answers the fan records a younger admission
local r, loaded -- the room; the fields that were used, with their stored values

-- One HGETALL reads all fields. A number is parsed when it is first used, because most scripts need few
-- numbers.
local function load_room()
  -- Numbers that are stored under longer names, and those that may be absent (false).
  local stored_as = {rate = 'rate_per_minute', ttl = 'token_ttl_ms', session = 'session_limit_ms',
    turn = 'turn_ms', grace = 'grace_ms', interval = 'admit_interval_ms',
    joins_limit = 'joins_per_address_per_minute'}
  local is_optional = {rate = true, opens_at = true, joins_limit = true}
  local found, texts, read = call('HGETALL', room), {}, {}
  for i = 1, #found, 2 do texts[found[i]] = found[i + 1] end
  if not texts.epoch then return false end
  loaded = read
  r = setmetatable({state = texts.state, open = texts.state == 'open', push = texts.admission == 'push',
    draining = texts.draining == '1', has_seats = texts.has_seats ~= '0',
    server = texts.server or ''}, {__index = function(self, name)
    local number = tonumber(texts[stored_as[name] or name]) or (not is_optional[name] and 0)
    read[name], self[name] = number, number
    return number
  end})
  now = max(now, r.clock)
  return true
end

-- Formats a whole number. If a command got a number, Redis would format it at a higher cost than the command.
local function text(number) return string.format('%d', number) end

local function call_many(command, key, words)
  for from = 1, #words, 1000 do call(command, key, unpack(words, from, min(from + 999, #words))) end
end

-- The script collects its writes. It sends them together at the end, or before a command reads what they
-- change.
local cached, dirty = {}, {}                -- places by user (false: none); users of places to be written
-- To be added to `queue`: score, user, …; to be removed from it: users; to be set in `slots`: score, user, …
local lining, leaving, endings = {}, {}, {}
local armed, entering = {}, {}       -- for `due`: users by time; admissions: number, user, number, user, …
local joined, moves = 0, {}    -- changes of the order: the number of joins; the others, as moved() adds them
-- Admitted places that are still in `queue`: orders, users. `waited`: the number of fans by seconds waited.
local admitted, newcomers, waited = {}, {}, {}
local inside_changed, unskips = false, false     -- unskips: a user in `leaving` is in `skipped`
local edge, spare, turns_fit, waiting -- see set_edge(), do_turns_fit() and line_size()

-- Adds a change of the order, of one place or of `many` in a row. mirror.h explains the letters; joins ('+')
-- are counted in `joined` instead.
local function moved(op, order, many)
  local n = #moves
  moves[n + 1], moves[n + 2], moves[n + 3] = op, order, many or 1
end
local function ascend(orders)
  for i = 2, #orders do
    if orders[i] < orders[i - 1] then return false end
  end
  return true
end
local function moved_all(op, orders) -- `orders` ascend
  local first = orders[1]
  for i = 1, #orders do
    local order, after = orders[i], orders[i + 1]
    if after ~= order + 1 then
      moved(op, first, order - first + 1)
      first = after
    end
  end
end

-- Counts the waits of admitted places, in seconds, before they leave the queue. A wait begins at joining (the
-- score, in microseconds), or at the opening if that was later. No place waited longer than a place before
-- it. So if the first and the last place of a range waited equally long, all places between them did.
local function wait_of(i)
  local score = call('ZSCORE', queue, newcomers[i])
  local wait = now - max(score and score / 1000 or now, r.opened_at)
  return wait > 0 and floor(wait / 1000) or 0
end
local function count_waits(first, last, first_wait, last_wait)
  if first_wait == last_wait then
    waited[first_wait] = (waited[first_wait] or 0) + last - first + 1
    return
  end
  local middle = floor((first + last) / 2)
  local after = middle + 1
  count_waits(first, middle, first_wait, middle > first and wait_of(middle) or first_wait)
  count_waits(after, last, after < last and wait_of(after) or last_wait, last_wait)
end
local function log_admissions()
  local last = #admitted
  if last == 0 then return end
  if not ascend(admitted) then -- after a draw, or if requests have no number
    local user_at = {}
    for i, order in ipairs(admitted) do user_at[order] = newcomers[i] end
    table.sort(admitted)
    for i, order in ipairs(admitted) do newcomers[i] = user_at[order] end
  end
  moved_all('>', admitted)
  count_waits(1, last, wait_of(1), wait_of(last))
  admitted, newcomers = {}, {}
end

local function flush()
  if #leaving > 0 then
    log_admissions()
    call_many('ZREM', queue, leaving)
    if unskips then
      call_many('ZREM', skipped, leaving)
      call_many('ZREM', turns, leaving)
    end
  end
  if #lining > 0 then call_many('ZADD', queue, lining) end
  if #endings > 0 then call_many('ZADD', slots, endings) end
  lining, leaving, endings, unskips = {}, {}, {}, false
end

local function line_size()
  if not waiting then
    flush()
    waiting = call('ZCARD', queue)
  end
  return waiting
end

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

-- Writes bits of a bitmap; returns the sum of the indexes of the bits that have changed.
local function set_bits(bitmap, first, many, bit)
  local sum, last = 0, first + many - 1
  for at = first, last, 32 do
    local width = min(32, last - at + 1)
    local all = 2 ^ width - 1
    local old = call('BITFIELD', bitmap, 'SET', 'u' .. width, text(at), text(bit * all))[1]
    local changed = bit == 1 and all - old or old
    if changed == all then
      sum = sum + width * (at + at + width - 1) / 2
    else
      for i = 0, width - 1 do sum = sum + floor(changed / 2 ^ (width - 1 - i)) % 2 * (at + i) end
    end
  end
  return sum
end
-- `line_sum`: the sum of all orders in line, modulo 2^32.
local function set_in_line(first, many, bit)
  local sum = set_bits(line, first, many, bit)
  r.line_sum = (r.line_sum + (bit == 1 and sum or -sum)) % 4294967296
end

local NO_BIT, SKIPS = {b = true, n = true}, {s = 1, t = 1, c = 0}
local function write_move(op, order, many, held)
  if NO_BIT[op] then return end
  if SKIPS[op] then return set_bits(skips, order, many, SKIPS[op]) end
  set_in_line(order, many, op == '^' and 1 or 0)
  if op ~= '^' and order < held then set_bits(before, order, many, 0) end
end
local function write_changes()
  if joined == 0 and #moves == 0 then return end
  local words = {}
  local first = r.last_number - joined
  waited = add_tally(room .. ':tally', first, joined, moves, waited)
  if joined > 0 then
    words[1] = '+' .. text(first) .. ':' .. joined
    set_in_line(first, joined, 1)
  end
  local held = r.lost_at > 0 and now < r.lost_at + r.grace and r.before_range or 0
  for i = 1, #moves, 3 do
    local op, order, many = moves[i], moves[i + 1], moves[i + 2]
    words[#words + 1] = op .. text(order) .. (many > 1 and ':' .. many or '')
    write_move(op, order, many, held)
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
  local most = 200000 -- entries that wait for the database
  if call('RPUSH', log, entry) > most then call('LTRIM', log, -most, -1) end
  return entry
end

-- Returns about `most` of the oldest log entries that wait for the database: ends, and admissions that are at
-- least `in_hand` ms old. Younger admissions are recorded by the node that answers the fan.
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

-- Other programs read the fans of `main` by token in queue:waiting, queue:active, queue:token:<token> and
-- queue:user:<user>. The token key of a fan inside expires with its slot. room_show.lua writes these keys
-- first. Of other rooms, programs read `queue` and `slots`. `main` is nil in other rooms.
local main = string.match(active, '^({?queue}?):active$')

-- The key token:42:minji, which exists while the fan is inside.
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
  for _, field in ipairs({'last_number', 'serving', 'clock', 'floor', 'credit', 'credit_at', 'no_shows',
    'next_fill_at', 'changes', 'line_sum', 'nodes', 'merged', 'last_score'}) do
    local value = rawget(r, field)
    if value ~= loaded[field] then
      fields[#fields + 1], fields[#fields + 2] = field, value == floor(value) and text(value) or value
    end
  end
  if #fields > 0 then call('HSET', room, unpack(fields)) end
  if inside_changed then call('SET', count, call('ZCARD', slots)) end
end

-- The reply of every deciding script: 0; the room's present numbers (RoomHead in replies.h); the changes that
-- the node's mirror lacks (nil: the mirror cannot follow and must be loaded again); the script's own values.
local function reply(...)
  save_room()
  local missed, entries = r.changes - mirror_at, false
  if mirror_at >= 0 and known_epoch == r.epoch and missed >= 0 and missed <= CHANGES_KEPT then
    entries = missed > 0 and call('LRANGE', changes, -missed, -1) or {}
  end
  local inside, in_line = call('ZCARD', slots), call('ZCARD', queue)
  return {0, {r.epoch, r.changes, r.version, r.serving, inside, in_line, r.line_sum, r.nodes}, entries, ...}
end

local function absent_at(p) return max(p.seen, r.floor) + MISSED_POLLS * 100 * p.tenths end

-- The free slots that fans may take now, if the room has no rate.
local function free_slots()
  if not r.open or not r.has_seats or now < r.hold_until then return 0 end
  flush()
  return max(r.capacity - call('ZCARD', slots), 0)
end

-- Returns the index in `queue` (from 1) and the order of the `wanted`th eligible fan; nil: fewer fans are
-- eligible.
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
  if not user then return nil end
  local p = cached[user] -- a new place may not be written yet
  return standing, p and p.order or struct.unpack('<I4', call('HGET', places, user), ORDER)
end

-- Sets `edge` for `allowance` entries, which include the running turns: eligible waiters up to this order are
-- ready (-1: none). Infinite: all eligible waiters are ready, and `spare` more waiters may be. `edge` is
-- cached until a change may move it. The beginning or the use of a turn does not move it.
local function set_edge(allowance)
  if allowance > 0 then allowance = allowance - call('ZCARD', turns) end
  edge = -1
  if allowance > 0 then
    local _, order = find_counted(allowance)
    edge = order or math.huge
    spare = allowance - (line_size() - call('ZCARD', skipped))
  end
  return edge
end

-- A lowered capacity may leave fewer free slots than turns: the first places keep their turns. While all
-- turns fit, they also fit after an entry: it takes one slot and ends one turn.
local function do_turns_fit()
  if not turns_fit then
    flush()
    turns_fit = call('ZCARD', turns) <= r.capacity - call('ZCARD', slots)
  end
  return turns_fit
end

-- Whether acknowledged changes may be missing: another Redis served the room last (a failover, a restart), or
-- the node has seen newer changes.
local function forgotten()
  return r.server ~= server
    or knows_less(r.epoch, r.changes, r.last_number, known_epoch, known_changes, known_number)
end

-- Loads the room. Returns nil, or a code that the node must handle before it retries the script.
local function check()
  if not load_room() then return NO_ROOM end
  if forgotten() then return GONE_BACK end
  if r.phase_at > 0 and now >= r.phase_at then return PHASE_DUE end
end

-- Whether no work is due. Then advance() (room_deadlines.lua) would only set the room's clock, which is set
-- here.
local function is_quiet()
  if not r.has_seats or (r.push and free_slots() > 0) then return false end
  if now == r.clock then return true end
  if pause_after > 0 and r.clock > 0 and now - r.clock > pause_after then return false end
  for _, deadlines in ipairs({slots, due, turns}) do
    if #call('ZRANGEBYSCORE', deadlines, '-inf', text(now), 'LIMIT', 0, 1) > 0 then return false end
  end
  r.clock = now
  return true
end
