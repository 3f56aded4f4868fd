-- The usual joins of room_ask.lua, handled together. In a script, this file follows room_together.lua.

local byte, JOIN = string.byte, string.byte('j')

-- A leaky bucket per address prefix, in milliseconds: the joins of a whole minute may come at once. The
-- buckets of one call are written together.
local buckets = {}
local function may_join(request)
  if request == 'j0' or not r.joins_limit then return true end
  local prefix = string.sub(request, 2)
  local used_until = buckets[prefix] or tonumber(call('HGET', joins, prefix) or 0)
  local free_at = max(used_until, now) + 60000 / r.joins_limit
  if free_at - now > 60000.5 then return false end
  buckets[prefix] = free_at
  return true
end
local function write_buckets()
  local words = {}
  for prefix, free_at in pairs(buckets) do words[#words + 1], words[#words + 2] = prefix, free_at end
  if #words == 0 then return end
  if call('HLEN', joins) > 100000 then call('DEL', joins) end
  call_many('HSET', joins, words)
  call('PEXPIRE', joins, 120000)
end

local function refusal_of_joins()
  if r.state == 'scheduled' then return NOT_OPEN end
  if r.state == 'closed' or r.draining then return CLOSED end
end

-- Handles the usual joins: each gets a new place that waits. Returns the number of new places.
local function join_together()
  -- `since`: the index of the first fan that the next answer serves.
  local writes, n, rank, since, first_number = {}, 0, line_size(), nil, nil
  local number, score = r.last_number, max(now * 1000 - 1, r.last_score)
  local users, requests, bytes_of, cached, together = users, requests, bytes_of, cached, together
  local byte, format, pack, lining = string.byte, string.format, struct.pack, lining
  local join, limited = JOIN, r.joins_limit
  local interval, head, at, armed_then -- the same for all fans before `until_rank`
  local until_rank = -1
  for i = 1, #users do
    local user, request = users[i], requests[i]
    if not bytes_of[i] and byte(request) == join and cached[user] == nil and not together[user]
      and (not limited or may_join(request)) then
      local order = number
      number, score = number + 1, score + 1
      if rank >= until_rank then
        if since then answer_run(since, i - 1, WAITING, first_number, interval, 0, 0, IS_NEW) end
        since = nil
        interval, until_rank = interval_in_line(number, rank)
        until_rank = until_rank or math.huge
        local tenths = floor((interval + 99) / 100)
        local look_at = absent_at({seen = now, tenths = tenths})
        head, at = pack('<dI2B', now, tenths, IS_PRESENT), pack('<d', look_at)
        armed_then = armed[look_at] or {}
        armed[look_at] = armed_then
      end
      if not since then since, first_number = i, number end
      n, rank, together[user] = n + 1, rank + 1, true
      local even = n + n
      local odd = even - 1
      lining[odd], lining[even] = format('%d', score), user
      writes[odd], writes[even] = user, head .. pack('<I4', order) .. at .. format('%d', number)
      armed_then[#armed_then + 1] = user
    elseif since then
      answer_run(since, i - 1, WAITING, first_number, interval, 0, 0, IS_NEW)
      since = nil
    end
  end
  if n == 0 then return 0 end
  if since then answer_run(since, #users, WAITING, first_number, interval, 0, 0, IS_NEW) end
  call_many('HSET', places, writes)
  r.last_number, r.last_score, joined, waiting = number, score, joined + n, rank
  return n
end

local function reply_to_fans()
  write_buckets()
  return reply(table.concat(answers))
end

local stop = check()
if stop then return {stop} end
load_fans()
local can_join, tried = not refusal_of_joins(), false
if can_join and not r.rate and is_quiet() and set_edge(r.push and 0 or free_slots()) < math.huge then
  tried = true
  if join_together() == #users then return reply_to_fans() end
end
