-- The usual entries of room_enter.lua, handled together. It follows room_together.lua.

-- Admits the usual fans: present waiters that are ready, in a room without a rate where fans claim slots.
-- Returns the number of fans.
local function enter_together()
  if r.push or r.rate or main or not r.open or not r.has_seats or now < r.hold_until then return 0 end
  local last_ready, keep_turns, epoch = edge or set_edge(free_slots()), do_turns_fit(), ':' .. text(r.epoch)
  local byte, sub, numbers = string.byte, string.sub, struct.unpack
  local ends = min(r.ttl, r.session) + now
  local ends_text, left = text(ends), text(max(1, ends - now))
  local head, at = struct.pack('<dI2B', now, 0, IS_ENTERED + IS_PRESENT + HAS_ARRIVED), struct.pack('<d', now)
  local writes, on_turn, n = {}, {}, 0
  local interval = interval_inside()
  for i, bytes in ipairs(bytes_of) do
    local user, number, order = users[i], bytes and sub(bytes, NUMBER)
    local is = bytes and byte(bytes, FLAGS)
    local has_turn = is == IS_PRESENT + HAS_TURN
    if (is == IS_PRESENT or has_turn and keep_turns) and cached[user] == nil and not together[user]
      and number .. epoch == requests[i] then
      order = numbers('<I4', bytes, ORDER)
    end
    if order and (has_turn or order <= last_ready) then
      n = n + 1
      together[user], user_at[order], admitted[n], leaving[n] = true, user, order, user
      endings[n * 2 - 1], endings[n * 2] = ends_text, user
      entering[n * 2 - 1], entering[n * 2] = number, user
      writes[n * 2 - 1], writes[n * 2] = user, head .. sub(bytes, ORDER, AT - 1) .. at .. number
      if has_turn then on_turn[#on_turn + 1] = order end
      call('SET', token_key(user), number, 'PX', left)
      run.add(i, 0)
    else
      run.finish(ENTERED, interval, ends, now, ENTERED_NOW)
    end
  end
  run.finish(ENTERED, interval, ends, now, ENTERED_NOW)
  if n == 0 then return 0 end
  call_many('HSET', places, writes)
  moved_all('c', on_turn)
  unskips = #on_turn > 0
  if waiting then waiting = waiting - n end
  r.serving, inside_changed = tonumber(entering[n * 2 - 1]), true
  r.no_shows = max(0, r.no_shows - n)
  return n
end

local function reply_to_fans()
  local behind = #waiting_log_entries(1, IN_HAND) > 0 and 1 or 0
  local entry = write_admissions()
  -- In a push room the log entry also has other fans.
  return reply(table.concat(answers), r.push and '' or entry, behind)
end

local stop = check()
if stop then return {stop} end
load_fans()
local tried = is_quiet()
if tried and enter_together() == #users then return reply_to_fans() end
