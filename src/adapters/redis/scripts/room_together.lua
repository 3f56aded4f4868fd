-- Functions that handle the usual requests of a batch together. They read the bytes of a place instead of a
-- table, and come before the other rules in the script: tables and closures would cost more than Redis's
-- commands. The loops over a batch use local names and few operations, because an operation of Lua costs
-- Redis about 50 instructions. This file follows room.lua; room_ask.lua and room_enter.lua handle the other
-- requests.

-- The packed answers, by the index of the fan in the arguments. One answer may serve a run: `many` fans in a
-- row. Their numbers follow each other; or the number is 0, and each fan has the number that its request
-- named. The answer of a run is stored at the index of its first fan, and '' at the others.
local answers = {}
local function pack_answer(status, number, interval, ends, entered_at, flags, many)
  return struct.pack('>bI8I4I8I8BI2', status, number, interval, ends, entered_at, flags, many)
end

-- The own arguments of these scripts: the epoch of requests that name none, all users, then all requests.
-- `bytes_of`: the users' places (false: none). `together`: the users whose requests are handled.
local epoch, users, requests, bytes_of, together
local function load_fans()
  local first = FIRST + 1
  local after = first + (#ARGV - FIRST) / 2
  epoch, together = tonumber(ARGV[FIRST]), {}
  users, requests = {unpack(ARGV, first, after - 1)}, {unpack(ARGV, after)}
  bytes_of = call('HMGET', places, unpack(users))
end

-- Gives the fans from `first` to `last` one answer. If it serves the whole batch, the script ends next and
-- needs no '' for the others.
local function answer_run(first, last, status, number, interval, ends, entered_at, flags)
  local many = last - first + 1
  answers[first] = pack_answer(status, number, interval, ends, entered_at, flags, many)
  if many == #users then return end
  for i = first + 1, last do answers[i] = '' end
end

local function interval_inside() return max(PACE.inside_least, min(PACE.inside, floor(r.ttl / 4))) end
-- Also returns the rank from which the interval is longer (nil: the interval is the same for all ranks).
local function interval_in_line(number, rank)
  local undrawn = r.draw_first > 0 and (r.state == 'pre-queue' or r.state == 'scheduled')
  if undrawn and number >= r.draw_first then
    if not r.opens_at then return PACE.undrawn end
    return max(PACE.undrawn_least, min(PACE.undrawn, floor((r.opens_at - now) / 4)))
  end
  local wait, until_rank
  for i = 1, #PACES, 2 do
    until_rank, wait = PACES[i], PACES[i + 1]
    if rank < until_rank then break end
  end
  return r.state == 'paused' and max(wait, PACE.paused) or wait, until_rank
end
