-- Puts a fan back at the number its signed token says, after Redis lost its memory. ARGV: user, number, epoch,
-- when it entered (0: it waited). A newer place of the same fan gives way.
local user, number, epoch, entered_at = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local stop = begin()
if stop then return {stop} end
local p, why = own(user, number, epoch)
if not p and why == LOST then
  local newer = get(user)
  if newer then end_place(newer, false) end
  p = {user = user, number = number, order = number - 1, seen = now, entered_at = entered_at, tenths = 10, present = true}
  r.last_number = max(r.last_number, number)
  if entered_at > 0 then
    p.entered, p.arrived = true, true
    put(p)
    call('ZADD', slots, slot_end(p), user)
    call('SADD', active, user)
    counted_entered = true
  else
    call('ZADD', queue, p.order, user)
    put(p)
    recount(p)
    call('ZADD', due, absent_at(p), user)
  end
end
local told = p and poll(p) or {why}
save_room()
return told
