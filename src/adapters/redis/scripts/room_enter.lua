-- Gives slots to fans, one after the other in one call; a fan inside keeps its slot. ARGV: as load_fans()
-- reads them; requests ascend by number. A request is '<number>' or '<number>:<epoch>'. The script's own
-- values: the answers (replies.h), the log entry of these admissions, and 1 where other log entries must be
-- recorded before it. This file follows room_enters.lua, which handles the usual entries, and
-- room_answer.lua.
local function enter(i, user, request)
  local p, why = own_named(user, request)
  if not p then return refuse(i, why) end
  mark_seen(p)
  if p.passed then
    settle_credit() -- before the fan is eligible again: eligible fans let more credit accrue
    p.passed = false
    recount(p, is_counted(p) and 'c' or 's')
  end
  put(p)
  fill()
  if not p.entered then
    if r.state == 'closed' then return refuse(i, CLOSED) end
    if (r.open or r.state == 'paused') and not r.has_seats then return refuse(i, SOLD_OUT) end
    if not is_ready(p) then return refuse(i, NOT_YOUR_TURN) end
    admit(p)
  end
  answer_fan(i, p, 0)
end

advance(false)
flush()
if not tried and enter_together() == #users then return reply_to_fans() end
for i, user in ipairs(users) do
  if is_left(i) then enter(i, user, requests[i]) end
end
return reply_to_fans()
