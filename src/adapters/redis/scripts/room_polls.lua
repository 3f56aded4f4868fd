-- Many signs of life in one call. ARGV: what the caller knows to have happened (epoch, changes, highest number; no claim's epoch is above it), the fans'
-- users, and as many claims: the number of the place, '0' for whatever place the user has, 'join', or 'join-limited' from an address that may be.
-- Waiters are done here together, ready or not, also those who come back after a silence: there are the more of them the slower Redis is. Whoever
-- else (passed, overtaken, inside, limited, back and ready, and who is told of a turn after such a one) is to ask alone. Returns {0, version, epoch, changes, settled, the newest number and who waited
-- before the newcomers (-1: they are not drawn yet), the numbers of those who did not name theirs, when the turns of the ready end, and four bytes a
-- fan: the rank, UNDRAWN, ALONE, MISSED (alone, and the place it names is not here), or NEW and which of the newcomers it is; and READY}, or {why not}.
local stop = begin(ARGV[3], ARGV[4], ARGV[5])
if stop then return {stop} end
local USERS, READY_NOW, NEW, MISSED, UNDRAWN, ALONE = 5, 1073741824, 2147483648, 4294967293, 4294967294, 4294967295
local UNNAMED = {['0'] = true, ['join'] = true, ['join-limited'] = true}
local fans = (#ARGV - USERS) / 2
local kept = call('HMGET', places, unpack(ARGV, USERS + 1, USERS + fans))
local edge, since = ready_until(), settled(math.huge)
local overtaken_until = since < 0 and -1 or r.lost_front
local drawn = r.state ~= 'pre-queue'
-- Nobody is let in at this moment because somebody came, or came back.
local full = not (r.push and allowed() > 0)
local may_come = (r.open or r.state == 'paused' or not drawn) and not r.draining and full
local told, writes, lining, turning, back, here, numbers, turn_ends, waiter = {}, {}, {}, {}, {}, {}, {}, {}, {}
local written, newcomers, last, waiting, spare = 0, 0, r.last_number, 0, 0 -- the longest lengths are counted here: Lua would search for them
local turn_text = edge >= 0 and text(now + r.turn)
local last_text
local returning = false -- somebody before it in the batch comes back to a turn, and asks for it afterwards
local byte, sub, format = string.byte, string.sub, string.format

-- What is the same for all who are to ask again after the same time: the promise, how a place begins that was seen now, when it is looked at next,
-- and who is to be looked at then from now on.
local paces = {}
local function pace_of(rank)
  local tenths = floor((poll_interval(waiter, rank) + 99) / 100)
  local pace = paces[tenths] -- one for each time in `armed`, whose entries it counts
  if not pace then
    local look_at = absent_at({seen = now, tenths = tenths})
    pace = {tenths = tenths, seen = pack(SEEN, now, tenths, PLAIN_WAITER), look_at_bytes = pack('<d', look_at), armed = armed[look_at] or {}}
    pace.count, armed[look_at], paces[tenths] = #pace.armed, pace.armed, pace
  end
  return pace
end
local function arm_with(pace, user)
  pace.count = pace.count + 1
  pace.armed[pace.count] = user
end

local function write(user, bytes)
  written = written + 2
  writes[written - 1], writes[written] = user, bytes
end

-- It is this fan's turn, which begins when it hears of it. Returns the mark.
local function tell_ready(user, ends)
  if not ends then turning[#turning + 1], turning[#turning + 2] = turn_text, user end
  turn_ends[#turn_ends + 1] = ends or turn_text
  return READY_NOW
end

local function come(user)
  if newcomers == 0 then
    settle_credit()
    waiting, last_text = call('ZCARD', queue), text(last)
    if edge == math.huge then spare = allowed() - (waiting - call('ZCARD', skipped)) end
  end
  local order = last + newcomers
  local pace = pace_of(drawn and waiting + newcomers or -1)
  newcomers = newcomers + 1
  lining[newcomers * 2 - 1], lining[newcomers * 2] = last_text, user
  last_text = format('%d', order + 1)
  write(user, pace.seen .. pack('<I4', order) .. pace.look_at_bytes .. last_text)
  arm_with(pace, user)
  here[user] = true
  return NEW + newcomers - 1 + (newcomers <= spare and tell_ready(user) or 0)
end

local function live(user, bytes, claim)
  local number, flags = sub(bytes, NUMBER), byte(bytes, FLAGS)
  if claim ~= number and not UNNAMED[claim] then return MISSED end
  local absent = full and flags % 4 == 0 -- neither inside nor present
  if flags ~= PLAIN_WAITER and not absent then return ALONE end
  local ready = false
  if edge >= 0 or overtaken_until >= 0 then
    local order = unpack_bytes('<I4', bytes, ORDER)
    ready = order <= edge
    returning = returning or (ready and absent)
    if order <= overtaken_until or (ready and returning) then return ALONE end
  end
  local undrawn = not drawn and tonumber(number) >= r.draw_first
  local rank = undrawn and -1 or call('ZRANK', queue, user)
  local pace = pace_of(rank)
  local low, high = byte(bytes, 9, 10)
  if absent then back[#back + 1] = user end
  if absent or pace.tenths < low + high * 256 then
    -- Who is to ask again sooner than before is looked at sooner too.
    arm_with(pace, user)
    write(user, pace.seen .. sub(bytes, ORDER, AT - 1) .. pace.look_at_bytes .. number)
  else
    write(user, pace.seen .. sub(bytes, ORDER))
  end
  if claim ~= number then numbers[#numbers + 1] = number end
  if undrawn then return UNDRAWN end
  return ready and rank + tell_ready(user, call('ZSCORE', turns, user)) or rank
end

for i, bytes in ipairs(kept) do
  local user, claim = ARGV[USERS + i], ARGV[USERS + fans + i]
  if here[user] then
    told[i] = ALONE
  elseif bytes then
    told[i] = live(user, bytes, claim)
  elseif may_come and not (returning and edge == math.huge) and (claim == 'join' or (claim == 'join-limited' and not r.joins_limit)) then
    told[i] = come(user)
  else
    told[i] = UNNAMED[claim] and ALONE or MISSED
  end
end
if written > 0 then call('HSET', places, unpack(writes)) end
if #back > 0 then
  settle_credit()
  call('ZREM', skipped, unpack(back))
end
if newcomers > 0 then
  call('ZADD', queue, unpack(lining))
  r.changes, r.last_number = r.changes + newcomers, last + newcomers
end
if #turning > 0 then call('ZADD', turns, unpack(turning)) end
save_room()
return {0, r.version, r.epoch, r.changes, since, last, drawn and waiting or -1, table.concat(numbers, ' '), table.concat(turn_ends, ' '),
  pack('<' .. string.rep('I4', fans), unpack(told))}
