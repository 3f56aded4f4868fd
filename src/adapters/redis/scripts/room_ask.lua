-- Decides requests of fans that join, poll or look. One call decides a batch, one request after the other.
-- ARGV: as load_fans() reads them. A request is 'p<number>' or 'p<number>:<epoch>' (a poll, renews presence),
-- the same with 'l' (a look, does not renew it), or 'j<address prefix>' (a join; 'j0': not limited). The
-- script's own value: the answers (replies.h). This file follows room_joins.lua, which handles the usual
-- joins, and room_answer.lua.

local function join(user, request)
  local why = refusal_of_joins() or not may_join(request) and TOO_MANY
  if why then return nil, why end
  settle_credit()
  local ahead = line_size()
  r.last_number, joined, waiting = r.last_number + 1, joined + 1, ahead + 1
  local never = 65535 -- tenths; the first answer has a shorter interval, and so arms the deadline
  local p = {user = user, number = r.last_number, digits = text(r.last_number), order = r.last_number - 1,
    rank = ahead, seen = now, tenths = never, present = true, passed = false, entered = false,
    arrived = false, turn = false, entered_at = 0, look_at = 0}
  r.last_score = max(now * 1000, r.last_score + 1)
  lining[#lining + 1], lining[#lining + 2] = text(r.last_score), user
  if edge == math.huge then
    spare = spare - 1
    if spare == 0 then edge = p.order end
  end
  if ahead == 0 and r.push and allowed() > 0 then
    admit(p)
    return p
  end
  put(p)
  if r.push then
    p.rank = nil -- fill() may admit fans before this one
    fill()
  end
  return p
end

local LOOK = byte('l')
local function ask(i, user, request)
  local p, why, flags
  if byte(request) == JOIN then
    p = get(user)
    if not p then
      p, why = join(user, request)
      flags = IS_NEW
    end
  else
    p, why = own_named(user, request)
  end
  if not p then return refuse(i, why) end
  if byte(request) == LOOK then
    local status, interval, ends = standing(p)
    return add_answer(i, p, status, interval, ends, 0)
  end
  if mark_seen(p) then
    put(p)
    fill()
  end
  answer_fan(i, p, flags or 0)
end

-- Whether a new place would be admitted or ready at once.
local function is_line_open()
  if not r.push then return ready_edge() == math.huge end
  return allowed() > 0 and (now >= r.next_fill_at or line_size() == 0)
end

advance(false)
flush()
settle_credit()
if can_join and not tried and not is_line_open() and join_together() == #users then
  return reply_to_fans()
end
for i, user in ipairs(users) do
  if is_left(i) then ask(i, user, requests[i]) end
end
return reply_to_fans()
