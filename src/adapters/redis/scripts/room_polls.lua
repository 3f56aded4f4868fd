-- Many signs of life in one call. ARGV: what the caller knows to have happened (epoch, changes, highest number), then for every fan its user and its claim: number and epoch
-- (four bytes each) to poll, or 'j' and the corner of the net it comes from to join. Plain waiters are done here together; whoever else (absent,
-- passed, ready, inside, limited, unknown) is to ask alone. Returns {0, version, epoch, changes, settled, and for all fans 13 bytes each: status (0: waits, 1: waits
-- and is new, 255: ask alone), number, rank, poll after}, or {why not}.
local stop = begin(ARGV[3], ARGV[4], ARGV[5])
if stop then return {stop} end
local users, claims = {}, {}
for at = 6, #ARGV, 2 do
  users[#users + 1] = ARGV[at]
  claims[#claims + 1] = ARGV[at + 1]
end
local kept = call('HMGET', places, unpack(users))
-- Ready is who has fewer counted fans before it than may enter: everybody up to one place in the order.
local ready_until = -1
local allowance = allowed()
if allowance > 0 and not r.push then
  local edge = call('ZRANGE', counted, allowance - 1, allowance - 1, 'WITHSCORES')
  ready_until = edge[2] and tonumber(edge[2]) or math.huge
end
local drawn = r.state ~= 'pre-queue'
-- A newcomer goes to the end, where nobody is let in at this moment.
local may_come = (r.state == 'open' or r.state == 'paused') and not r.draining and ready_until < math.huge and not (r.push and allowance > 0)
local told, writes, waiting, lining, deadlines, here, waiter = {}, {}, nil, {}, {}, {}, {}
local pack, unpack_place, alone = struct.pack, struct.unpack, struct.pack('<BI4I4I4', 255, 0, 0, 0)

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
  lining[#lining + 1] = number - 1
  lining[#lining + 1] = user
  deadlines[#deadlines + 1] = max(now, r.floor) + 300 * tenths
  deadlines[#deadlines + 1] = user
  writes[#writes + 1] = user
  writes[#writes + 1] = pack('<I4I4ddI2B', number, number - 1, now, 0, tenths, 2)
  return pack('<BI4I4I4', 1, number, rank, jittered(interval, number))
end

local function live(user, bytes, asked, epoch)
  local number, order, seen, entered_at, tenths, flags = unpack_place('<I4I4ddI2B', bytes)
  -- 2: present, and neither entered nor past its turn.
  if flags ~= 2 or (asked ~= 0 and (asked ~= number or epoch > r.epoch)) or (not drawn and number >= r.draw_first) or order <= ready_until then
    return alone
  end
  local rank = call('ZRANK', queue, user)
  local interval = poll_interval(waiter, rank)
  local next_tenths = floor((interval + 99) / 100)
  -- Who is to ask again sooner than before is looked at sooner too: that is done alone.
  if next_tenths < tenths then return alone end
  writes[#writes + 1] = user
  writes[#writes + 1] = pack('<I4I4ddI2B', number, order, now, entered_at, next_tenths, flags)
  return pack('<BI4I4I4', 0, number, rank, jittered(interval, number))
end

for i, user in ipairs(users) do
  local claim, bytes = claims[i], kept[i]
  local joins_here = string.byte(claim) == 106 and #claim ~= 8
  if here[user] then
    told[i] = alone
  elseif bytes then
    if joins_here then told[i] = live(user, bytes, 0, 0) else told[i] = live(user, bytes, unpack_place('<I4I4', claim)) end
  elseif joins_here and may_come and (claim == 'j0' or not r.joins_limit) then
    told[i] = come(user)
    here[user] = true
  else
    told[i] = alone
  end
end
if #writes > 0 then call('HSET', places, unpack(writes)) end
if #lining > 0 then
  call('ZADD', queue, unpack(lining))
  call('ZADD', counted, unpack(lining))
  call('ZADD', due, unpack(deadlines))
end
save_room()
return {0, r.version, r.epoch, r.changes, settled(), table.concat(told)}
