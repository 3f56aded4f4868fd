-- Gives slots to fans, one after the other in one call; a fan inside gets the same slot. ARGV: three words a
-- fan: user, number, epoch. Its own values: the answers (replies.h), the log entry of these admissions,
-- and 1 where other log entries must be recorded before it.
local function enter(user, number, epoch)
  local p, why = own(user, number, epoch)
  if not p then return refuse(why) end
  mark_seen(p)
  if p.passed then
    settle_credit() -- the fan was not eligible: no credit has accrued
    p.passed = false
    recount(p, is_counted(p) and 'c' or 's')
  end
  put(p)
  fill()
  if not p.entered then
    if r.state == 'closed' then return refuse(CLOSED) end
    if r.open and not r.has_seats then return refuse(SOLD_OUT) end
    if not is_ready(p) then return refuse(NOT_YOUR_TURN) end
    admit(p)
  end
  answer_fan(p, 0)
end

local stop = begin()
if stop then return {stop} end
local users = {}
for i = FIRST, #ARGV, 3 do users[#users + 1] = ARGV[i] end
load_places(users)
for i, user in ipairs(users) do
  local at = FIRST + (i - 1) * 3
  enter(user, tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]))
end
local behind = #waiting_log_entries(1, IN_HAND) > 0 and 1 or 0
local entry = write_admissions()
-- In a push room the log entry also has other fans.
return reply(table.concat(answers), r.push and '' or entry, behind)
