-- The usual entries of room_enter.lua, handled together. It follows room_together.lua.

-- Admits the usual fans: present waiters that are ready, in a room without a rate where fans claim slots.
-- Returns the number of fans.
local function enter_together()
  if r.push or r.rate or main or not r.open or not r.has_seats or now < r.hold_until then return 0 end
  if r.epoch ~= epoch then return 0 end
  local last_ready, keep_turns = edge or set_edge(free_slots()), do_turns_fit()
  local byte, sub, numbers, interval = string.byte, string.sub, struct.unpack, interval_inside()
  local ends = min(r.ttl, r.session) + now
  local ends_text, left, prefix = text(ends), text(max(1, ends - now)), token_key('')
  local head, at = struct.pack('<dI2B', now, 0, IS_ENTERED + IS_PRESENT + HAS_ARRIVED), struct.pack('<d', now)
  local writes, on_turn, n, since = {}, {}, 0, nil -- since: the first fan of a run
  for i = 1, #users do
    local user, bytes, number, order, has_turn = users[i], bytes_of[i], nil, nil, nil
    if bytes and cached[user] == nil and not together[user] then
      local is = byte(bytes, FLAGS)
      number, has_turn = sub(bytes, NUMBER), is == IS_PRESENT + HAS_TURN
      if (is == IS_PRESENT or has_turn and keep_turns) and number == requests[i] then
        order = numbers('<I4', bytes, ORDER)
      end
    end
    if order and (has_turn or order <= last_ready) then
      n, since, together[user] = n + 1, since or i, true
      local second = n * 2
      admitted[n], newcomers[n], leaving[n] = order, user, user
      endings[second - 1], endings[second] = ends_text, user
      entering[second - 1], entering[second] = number, user
      writes[second - 1], writes[second] = user, head .. sub(bytes, ORDER, AT - 1) .. at .. number
      if has_turn then on_turn[#on_turn + 1] = order end
      call('PSETEX', prefix .. user, left, number)
    elseif since then
      answer_run(since, i - 1, ENTERED, 0, interval, ends, now, ENTERED_NOW)
      since = nil
    end
  end
  if n == 0 then return 0 end
  if since then answer_run(since, #users, ENTERED, 0, interval, ends, now, ENTERED_NOW) end
  call_many('HSET', places, writes)
  if not ascend(on_turn) then table.sort(on_turn) end
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
