-- Handles the usual requests of a batch together: from the bytes of their places, without a table per place,
-- and before the other rules are defined. Tables and closures would cost more than Redis's commands. The
-- loops over a batch use local names and few operations: an operation of Lua costs Redis about 50
-- instructions. It follows room.lua; the scripts of fans' requests (room_ask.lua, room_enter.lua) handle the
-- other requests.

-- The packed answers to the fans, by their positions in the arguments. One answer may serve `many` fans in a
-- row, a run: their numbers follow each other, or the number is 0 and each fan has the one that it named. The
-- answer of a run is stored at the position of its first fan, and '' at the others.
local answers = {}
local function pack_answer(status, number, interval, ends, entered_at, flags, many)
  return struct.pack('>bI8I4I8I8BI2', status, number, interval, ends, entered_at, flags, many)
end

-- The own arguments of these scripts: the epoch of requests that name none, all users, then all requests.
-- `bytes_of`: their places (false: none). `together`: the users that are handled.
local epoch, users, requests, bytes_of, together
local function load_fans()
  local first = FIRST + 1
  local after = first + (#ARGV - FIRST) / 2
  epoch, together = tonumber(ARGV[FIRST]), {}
  users, requests = {unpack(ARGV, first, after - 1)}, {unpack(ARGV, after)}
  bytes_of = call('HMGET', places, unpack(users))
end

-- Answers the fans from `first` to `last` alike. If one answer serves all, the script ends with it.
local function answer_run(first, last, status, number, interval, ends, entered_at, flags)
  local many = last - first + 1
  answers[first] = pack_answer(status, number, interval, ends, entered_at, flags, many)
  if many == #users then return end
  for i = first + 1, last do answers[i] = '' end
end

local function interval_inside() return max(PACE.inside_least, min(PACE.inside, floor(r.ttl / 4))) end
-- Also returns the rank from which the interval is longer (nil: it depends on no rank).
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
