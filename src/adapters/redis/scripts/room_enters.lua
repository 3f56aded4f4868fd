-- The usual entries of room_enter.lua, handled together. In a script, this file follows room_together.lua.

-- Admits the usual fans: present waiters that are ready, in a room with admission mode `claim` and without a
-- rate. Returns the number of admitted fans. Two requests of one fan follow each other, because requests
-- ascend by number.
local function enter_together()
  if r.push or r.rate or main or not r.open or not r.has_seats or now < r.hold_until then return 0 end
  if r.epoch ~= epoch then return 0 end
  local last_ready, present = edge or set_edge(free_slots()), IS_PRESENT
  -- `on_turn`: the flags of a present fan that has a turn; false, where some turns do not fit.
  local on_turn = do_turns_fit() and present + HAS_TURN
  local interval, ends = interval_inside(), min(r.ttl, r.session) + now
  local ends_text, left, prefix = text(ends), text(max(1, ends - now)), token_key('')
  local head, at = struct.pack('<dI2B', now, 0, IS_ENTERED + IS_PRESENT + HAS_ARRIVED), struct.pack('<d', now)
  local users, requests, bytes_of, cached, call = users, requests, bytes_of, cached, call
  local admitted, endings, entering, writes, turns_used = admitted, endings, entering, {}, {}
  local byte, sub, flags, from, to, digits = string.byte, string.sub, FLAGS, ORDER, AT - 1, NUMBER
  local n, run, last = 0, 1, nil -- `run`: the index of the first fan that the next answer serves
  for i = 1, #users do
    local user, bytes, order, number = users[i], bytes_of[i], nil, nil
    if bytes and user ~= last and cached[user] == nil then
      number = sub(bytes, digits)
      if number == requests[i] then
        local is, first, second, third, fourth = byte(bytes, flags, to)
        order = first + second * 256 + third * 65536 + fourth * 16777216
        if is == on_turn then
          turns_used[#turns_used + 1] = order
        elseif is ~= present or order > last_ready then
          order = nil
        end
      end
    end
    if order then
      n, last = n + 1, user
      local even = n + n
      local odd = even - 1
      admitted[n] = order
      endings[odd], endings[even] = ends_text, user
      entering[odd], entering[even] = number, user
      writes[odd], writes[even] = user, head .. sub(bytes, from, to) .. at .. number
      call('PSETEX', prefix .. user, left, number)
    else
      if run < i then answer_run(run, i - 1, ENTERED, 0, interval, ends, now, ENTERED_NOW) end
      run = i + 1
    end
  end
  if n == 0 then return 0 end
  if run <= #users then answer_run(run, #users, ENTERED, 0, interval, ends, now, ENTERED_NOW) end
  call_many('HSET', places, writes)
  leaving = {}
  if n == #users then
    leaving = {unpack(users)}
  else
    for i = 1, n do
      leaving[i] = entering[i * 2]
      together[leaving[i]] = true
    end
  end
  newcomers = {unpack(leaving)}
  if not ascend(turns_used) then table.sort(turns_used) end
  moved_all('c', turns_used)
  unskips = #turns_used > 0
  if waiting then waiting = waiting - n end
  r.serving, inside_changed = tonumber(entering[n * 2 - 1]), true
  r.no_shows = max(0, r.no_shows - n)
  return n
end

local function reply_to_fans()
  local behind = #waiting_log_entries(1, IN_HAND) > 0 and 1 or 0
  local entry = write_admissions()
  -- In a push room the log entry also has fans without a request in this batch. The node would not record
  -- them, so the entry stays in the log.
  return reply(table.concat(answers), r.push and '' or entry, behind)
end

local stop = check()
if stop then return {stop} end
load_fans()
local tried = is_quiet()
if tried and enter_together() == #users then return reply_to_fans() end
