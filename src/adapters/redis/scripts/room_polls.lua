-- Many signs of life in one call. ARGV: the epoch and the changes the caller knows of, then for every fan its user, and number and epoch (four bytes each).
-- Present waiters are done here together; whoever else (absent, passed, inside, unknown) is to ask alone. Returns {0, version, epoch, changes, settled, and
-- for all fans 13 bytes each: status (255: ask alone), number, rank, poll after}, or {why not}.
local stop = begin(ARGV[3], ARGV[4])
if stop then return {stop} end
local users, claims = {}, {}
for at = 5, #ARGV, 2 do
  users[#users + 1] = ARGV[at]
  claims[#claims + 1] = ARGV[at + 1]
end
local kept = call('HMGET', places, unpack(users))
-- Ready is who has fewer counted fans before it than may enter: everybody up to one place in the order.
local ready_until = -1
local allowance = r.push and 0 or allowed()
if allowance > 0 then
  local edge = call('ZRANGE', counted, allowance - 1, allowance - 1, 'WITHSCORES')
  ready_until = edge[2] and tonumber(edge[2]) or math.huge
end
local drawn = r.state ~= 'pre-queue'
local told, writes, waiter = {}, {}, {}
local pack, unpack_place, alone = struct.pack, struct.unpack, struct.pack('<BI4I4I4', 255, 0, 0, 0)
for i, user in ipairs(users) do
  local answer, bytes = alone, kept[i]
  if bytes then
    local number, order, seen, entered_at, tenths, flags = unpack_place('<I4I4ddI2B', bytes)
    local asked, epoch = unpack_place('<I4I4', claims[i])
    -- 2: present, and neither entered nor past its turn.
    if flags == 2 and (asked == 0 or (asked == number and epoch <= r.epoch)) and (drawn or number < r.draw_first) then
      local rank = call('ZRANK', queue, user)
      -- Who is to ask again sooner than before is looked at sooner too: that is done alone.
      local interval = poll_interval(waiter, rank)
      local next_tenths = floor((interval + 99) / 100)
      local ready = order <= ready_until
      if next_tenths >= tenths and not ready then
        writes[#writes + 1] = user
        writes[#writes + 1] = pack('<I4I4ddI2B', number, order, now, entered_at, next_tenths, flags)
        answer = pack('<BI4I4I4', WAITING, number, rank, jittered(interval, number))
      end
    end
  end
  told[i] = answer
end
if #writes > 0 then call('HSET', places, unpack(writes)) end
save_room()
return {0, r.version, r.epoch, r.changes, settled(), table.concat(told)}
