-- Handles the usual requests of a batch together: from the bytes of their places, without a table per place,
-- and before the other rules are defined. Tables and closures would cost more than Redis's commands. It
-- follows room.lua; the scripts of fans' requests (room_ask.lua, room_enter.lua) handle the other requests.

-- The packed answers to the fans, by their positions in the arguments. One answer may serve `many` fans in a
-- row, a run: their numbers follow each other, or the number is 0 and each fan has the one that it named. The
-- answer of a run is stored at the position of its first fan, and '' at the others.
local answers = {}
local function pack_answer(status, number, interval, ends, entered_at, flags, many)
  return struct.pack('>bI8I4I8I8BI2', status, number, interval, ends, entered_at, flags, many)
end
local run = {many = 0}
function run.add(i, number)
  if run.many == 0 then run.first, run.number = i, number end
  run.many, answers[i] = run.many + 1, ''
end
function run.finish(status, interval, ends, entered_at, flags)
  if run.many == 0 then return end
  answers[run.first] = pack_answer(status, run.number, interval, ends, entered_at, flags, run.many)
  run.many = 0
end

-- The fans of the arguments, two words each: user and request; and the bytes of their places (false: none).
-- `together`: the users that are handled.
local users, requests, bytes_of, together = {}, {}, {}, {}
local function load_fans()
  local n = 0
  for at = FIRST, #ARGV, 2 do
    n = n + 1
    users[n], requests[n] = ARGV[at], ARGV[at + 1]
  end
  bytes_of = call('HMGET', places, unpack(users))
end

local function interval_inside() return max(PACE_LEAST, min(PACE_INSIDE, floor(r.ttl / 4))) end
-- Also returns the rank from which the interval is longer (nil: it depends on no rank).
local function interval_in_line(number, rank)
  local undrawn = r.draw_first > 0 and (r.state == 'pre-queue' or r.state == 'scheduled')
  if undrawn and number >= r.draw_first then
    if not r.opens_at then return PACE_UNDRAWN end
    return max(PACE_UNDRAWN_LEAST, min(PACE_UNDRAWN, floor((r.opens_at - now) / 4)))
  end
  local wait, until_rank
  for i = 1, #PACES, 2 do
    until_rank, wait = PACES[i], PACES[i + 1]
    if rank < until_rank then break end
  end
  return r.state == 'paused' and max(wait, PACE_PAUSED) or wait, until_rank
end
