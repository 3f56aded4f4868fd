-- Computes the answers to fans, for the scripts of fans' requests (room_ask.lua, room_enter.lua). In a
-- script, this file follows room_deadlines.lua.
local function poll_interval(p)
  if p.entered then return interval_inside() end
  if not p.rank then flush() end
  return (interval_in_line(p.number, p.rank or call('ZRANK', queue, p.user)))
end

-- Status, poll interval, and when the slot or the turn ends (0: there is none).
local function standing(p)
  if p.entered then return ENTERED, poll_interval(p), p.ends or slot_end(p) end
  if not is_ready(p) then return WAITING, poll_interval(p), 0 end
  return READY, poll_interval(p), tonumber(call('ZSCORE', turns, p.user) or 0)
end

local function mark_seen(p)
  p.seen = now
  if p.entered or p.present then return false end
  settle_credit()
  p.present, p.passed = true, false
  recount(p, is_counted(p) and 'c' or 's')
  arm(p, absent_at(p))
  return true
end

local function begin_turn(p)
  local ends = now + r.turn
  if p.passed then
    edge = nil
  else
    flush()
    call('ZADD', skipped, call('ZSCORE', queue, p.user), p.user)
    moved('s', p.order)
  end
  p.turn = true
  call('ZADD', turns, ends, p.user)
  return ends
end

local function add_answer(i, p, status, interval, ends, flags)
  answers[i] = pack_answer(status, p.number, interval, ends, p.entered_at, flags, 1)
end
-- Answers the fan, and stores what follows from the answer: when the next poll is expected, and the turn that
-- begins with the answer "ready".
local function answer_fan(i, p, flags)
  local status, interval, ends = standing(p)
  if p.entered then
    if not p.arrived then flags = flags + ENTERED_NOW end
    p.arrived = true
    if not p.ends then -- the fan was inside before this script: its slot is prolonged
      endings[#endings + 1], endings[#endings + 2] = text(ends), p.user
      show_inside(p.user, ends)
    end
    call('SET', token_key(p.user), p.digits, 'PX', text(max(1, ends - now)))
  else
    if status == READY and not p.turn then ends = begin_turn(p) end
    local tenths = floor((interval + 99) / 100)
    local sooner = tenths < p.tenths
    p.tenths = tenths
    if sooner then arm(p, absent_at(p)) end
  end
  put(p)
  if main and flags ~= IS_NEW and not token_of(p.user) then flags = flags + UNSHOWN end
  add_answer(i, p, status, interval, ends, flags)
end
local function refuse(i, code) answers[i] = pack_answer(code, 0, 0, 0, 0, 0, 1) end

-- The place that a request names by number and epoch, as own() finds it.
local function own_named(user, request)
  local number, named = string.match(request, '(%d+):?(%d*)')
  return own(user, tonumber(number), tonumber(named) or epoch)
end

-- True: the fan is not handled yet. Then its place is ready for get().
local function is_left(i)
  if answers[i] then return false end
  local user, bytes = users[i], bytes_of[i]
  if not together[user] and cached[user] == nil then cached[user] = bytes and place_of(user, bytes) end
  return true
end
