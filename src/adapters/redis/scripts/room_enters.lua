-- Many fans who ask to enter, in one call. KEYS beyond the room's: the token of each. ARGV: what the caller knows to have happened (epoch, changes,
-- highest number; no claim's epoch is above it), the fans' users, and the numbers of their places ('0': whatever place the user has). Only for rooms without a rate where fans claim
-- their slots. Plain waiters are decided here together, as one by one: who is admitted takes a slot and stands before all who wait, so whoever
-- was ready stays so. Whoever else (absent, passed, inside, unknown) is to ask alone. Returns {0, version, epoch, changes, now, when the slots and
-- the sessions end, the note for the database, 1 where others must be written before it, the numbers of those inside who did not name theirs, and of each fan a byte:
-- INSIDE, not its turn, closed or ALONE}, or {why not}.
local stop = begin(ARGV[3], ARGV[4], ARGV[5])
if stop then return {stop} end
local USERS, INSIDE, ALONE = 5, 2, 255
local fans = (#ARGV - USERS) / 2
local kept = call('HMGET', places, unpack(ARGV, USERS + 1, USERS + fans))
local told, here, admitted, writes, endings, entered, numbers = {}, {}, {}, {}, {}, {}, {}
local written, inside, last, front, note, behind = 0, 0, nil, -1, '', 0 -- lengths are counted here: Lua would search for them
local plain = not r.push and not r.rate
local edge = plain and ready_until() or -1
local refused = r.state == 'closed' and 4 or 3
local ends = min(now + r.ttl, now + r.session)
local byte, sub = string.byte, string.sub
local seen_inside, seen_waiting = pack(SEEN, now, 0, IS_ENTERED + IS_PRESENT + HAS_ARRIVED), pack('<d', now)
local now_bytes, ends_text, left_text = pack('<d', now), text(ends), text(max(1, ends - now))

for i, bytes in ipairs(kept) do
  local user, claim = ARGV[USERS + i], ARGV[USERS + fans + i]
  local number = bytes and sub(bytes, NUMBER)
  told[i] = ALONE
  if plain and number and not here[user] and byte(bytes, FLAGS) == PLAIN_WAITER and (claim == number or claim == '0') then
    here[user] = true
    written = written + 2
    writes[written - 1] = user
    local order = unpack_bytes('<I4', bytes, ORDER)
    if order <= edge then
      writes[written] = seen_inside .. sub(bytes, ORDER, AT - 1) .. now_bytes .. number
      inside = inside + 1
      admitted[inside] = user
      endings[inside * 2 - 1], endings[inside * 2] = ends_text, user
      entered[inside * 2 - 1], entered[inside * 2] = number, user
      call('SET', KEYS[15 + i], number, 'PX', left_text)
      if claim ~= number then numbers[#numbers + 1] = number end
      last, front = number, max(front, order)
      told[i] = INSIDE
    else
      writes[written] = seen_waiting .. sub(bytes, 9)
      told[i] = refused
    end
  end
end
if written > 0 then call('HSET', places, unpack(writes)) end
if last then
  call('ZREM', queue, unpack(admitted))
  call('ZREM', turns, unpack(admitted))
  call('ZADD', slots, unpack(endings))
  show_inside(admitted)
  behind = #owed(1, IN_HAND) > 0 and 1 or 0
  note = remember('a', entered)
  r.no_shows = max(0, r.no_shows - inside)
  count_admitted(inside, tonumber(last), front)
end
save_room()
return {0, r.version, r.epoch, r.changes, now, ends, now + r.session, note, behind, table.concat(numbers, ' '), string.char(unpack(told))}
