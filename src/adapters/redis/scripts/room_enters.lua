-- Many fans who ask to enter, in one call. KEYS beyond the room's: the token of each. ARGV: what the caller knows to have happened (epoch, changes,
-- highest number), the fans' claims (number and epoch, four bytes each, in one text), their users. Only for rooms without a rate where fans claim
-- their slots. Plain waiters are decided here together, as one by one: who is admitted takes a slot and stands before all who wait, so whoever
-- was ready stays so. Whoever else (absent, passed, inside, unknown) is to ask alone. Returns {0, version, epoch, changes, now, when the slots and
-- the sessions end, the note for the database, and for all fans 9 bytes each: status (2: inside, 3: not its turn, 4: closed,
-- 255: ask alone), number, poll after}, or {why not}.
local stop = begin(ARGV[3], ARGV[4], ARGV[5])
if stop then return {stop} end
local FIRST = 6 -- the fans' users begin after it
local claims, kept = ARGV[FIRST], call('HMGET', places, unpack(ARGV, FIRST + 1))
local pack, unpack_bytes, format, alone = struct.pack, struct.unpack, string.format, struct.pack('<BI4I4', 255, 0, 0)
local told, here, admitted, writes, endings, lines, note, inside, last = {}, {}, {}, {}, {}, {}, '', 0, nil
local written = 0 -- the length of a table is counted here: Lua would search for it
local plain = not r.push and not r.rate
local edge = plain and ready_until() or -1
local refused = r.state == 'closed' and 4 or 3
local ends = min(now + r.ttl, now + r.session)
local interval = poll_interval({entered = true}, 0)
local ends_text, left_text, at_text = text(ends), text(max(1, ends - now)), ' ' .. text(now) .. ' '

for i, bytes in ipairs(kept) do
  local user = ARGV[FIRST + i]
  told[i] = alone
  if plain and bytes and not here[user] then
    here[user] = true
    local number, order, seen, entered_at, tenths, flags = unpack_bytes('<I4I4ddI2B', bytes)
    local asked, epoch = unpack_bytes('<I4I4', claims, i * 8 - 7)
    -- 2: present, and neither entered nor past its turn.
    if flags == 2 and (asked == 0 or (asked == number and epoch <= r.epoch)) then
      written = written + 2
      writes[written - 1] = user
      if order <= edge then
        -- 11: entered, present and arrived.
        writes[written] = pack('<I4I4ddI2B', number, order, now, now, tenths, 11)
        local number_text = format('%d', number)
        inside = inside + 1
        admitted[inside] = user
        endings[inside * 2 - 1], endings[inside * 2] = ends_text, user
        lines[inside] = 'a ' .. number_text .. at_text .. user
        call('SET', KEYS[15 + i], number_text, 'PX', left_text)
        last = number
        told[i] = pack('<BI4I4', 2, number, jittered(interval, number))
      else
        writes[written] = pack('<I4I4ddI2B', number, order, now, entered_at, tenths, flags)
        told[i] = pack('<BI4I4', refused, number, 0)
      end
    end
  end
end
if written > 0 then call('HSET', places, unpack(writes)) end
if last then
  for _, line in ipairs({queue, counted, due, turns}) do call('ZREM', line, unpack(admitted)) end
  call('ZADD', slots, unpack(endings))
  show_inside(admitted)
  note = table.concat(lines, '\n')
  remember(note)
  r.no_shows = max(0, r.no_shows - inside)
  count_admitted(inside, last)
end
save_room()
return {0, r.version, r.epoch, r.changes, now, ends, now + r.session, note, table.concat(told)}
