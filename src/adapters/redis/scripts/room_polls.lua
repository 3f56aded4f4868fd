-- Many signs of life in one call. ARGV: what the caller knows to have happened (epoch, changes, highest number), the fans' claims (number and epoch,
-- four bytes each, in one text), their users. Number 0 with the highest epoch joins, with the one below it joins from an address that may be limited.
-- Plain waiters are done here together; whoever else (absent, passed, ready, inside, limited, unknown) is to ask alone. Returns {0, version, epoch,
-- changes, settled, and for all fans 13 bytes each: status (0: waits, 1: waits and is new, 255: ask alone), number, rank, poll after}, or {why not}.
local stop = begin(ARGV[3], ARGV[4], ARGV[5])
if stop then return {stop} end
local FIRST, JOINS, JOINS_LIMITED = 6, 4294967295, 4294967294 -- the fans' users begin after the first
local claims, kept = ARGV[FIRST], call('HMGET', places, unpack(ARGV, FIRST + 1))
local edge = ready_until()
local drawn = r.state ~= 'pre-queue'
-- A newcomer goes to the end, where nobody is let in at this moment.
local may_come = (r.state == 'open' or r.state == 'paused') and not r.draining and edge < math.huge and not (r.push and allowed() > 0)
local told, writes, waiting, lining, deadlines, here, waiter = {}, {}, nil, {}, {}, {}, {}
local written, lined = 0, 0 -- the lengths of tables are counted here: Lua would search for them
local pack, unpack_bytes, format, alone, due_texts = struct.pack, struct.unpack, string.format, struct.pack('<BI4I4I4', 255, 0, 0, 0), {}

local function come(user)
  if not waiting then
    settle_credit()
    waiting = call('ZCARD', queue)
  end
  r.changes, r.last_number = r.changes + 1, r.last_number + 1
  local number, rank = r.last_number, waiting
  waiting = waiting + 1
  local interval = poll_interval(waiter, rank)
  local tenths = floor((interval + 99) / 100)
  due_texts[tenths] = due_texts[tenths] or text(max(now, r.floor) + 300 * tenths)
  lined = lined + 2
  lining[lined - 1], lining[lined] = format('%d', number - 1), user
  deadlines[lined - 1], deadlines[lined] = due_texts[tenths], user
  written = written + 2
  writes[written - 1] = user
  writes[written] = pack('<I4I4ddI2B', number, number - 1, now, 0, tenths, 2)
  return pack('<BI4I4I4', 1, number, rank, jittered(interval, number))
end

local function live(user, bytes, asked, epoch)
  local number, order, seen, entered_at, tenths, flags = unpack_bytes('<I4I4ddI2B', bytes)
  -- 2: present, and neither entered nor past its turn.
  if flags ~= 2 or (asked ~= 0 and (asked ~= number or epoch > r.epoch)) or (not drawn and number >= r.draw_first) or order <= edge then
    return alone
  end
  local rank = call('ZRANK', queue, user)
  local interval = poll_interval(waiter, rank)
  local next_tenths = floor((interval + 99) / 100)
  -- Who is to ask again sooner than before is looked at sooner too: that is done alone.
  if next_tenths < tenths then return alone end
  written = written + 2
  writes[written - 1] = user
  writes[written] = pack('<I4I4ddI2B', number, order, now, entered_at, next_tenths, flags)
  return pack('<BI4I4I4', 0, number, rank, jittered(interval, number))
end

for i, bytes in ipairs(kept) do
  local user = ARGV[FIRST + i]
  local number, epoch = unpack_bytes('<I4I4', claims, i * 8 - 7)
  if here[user] then
    told[i] = alone
  elseif bytes then
    told[i] = live(user, bytes, number, epoch)
  elseif number == 0 and may_come and (epoch == JOINS or (epoch == JOINS_LIMITED and not r.joins_limit)) then
    told[i] = come(user)
    here[user] = true
  else
    told[i] = alone
  end
end
if written > 0 then call('HSET', places, unpack(writes)) end
if lined > 0 then
  call('ZADD', queue, unpack(lining))
  call('ZADD', counted, unpack(lining))
  call('ZADD', due, unpack(deadlines))
end
save_room()
return {0, r.version, r.epoch, r.changes, settled(), table.concat(told)}
