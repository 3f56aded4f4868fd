-- Puts fans back where they were before Redis lost its memory. ARGV for each: user, number, place in the order, when it entered (0: it waited).
-- A newer place of the same fan gives way to an older one; who is there already stays. Returns how many came back.
local stop = begin()
if stop then return {stop} end
local back = 0
-- The place of a waiter who stayed away for so long has ended.
local too_late = settled() < 0
for at = 3, #ARGV, 4 do
  local user, number, order, entered_at = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local known = get(user)
  local place_ended = too_late and entered_at == 0
  if not place_ended and (not known or (known.entered and known.number < number) or
    (not known.entered and (known.number > number or entered_at > 0))) then
    if known then end_place(known, false) end
    local p = {user = user, number = number, order = order, seen = now, entered_at = entered_at, tenths = 10, present = true}
    r.last_number = max(r.last_number, number)
    r.changes = r.changes + 1
    back = back + 1
    if entered_at > 0 then
      p.entered, p.arrived = true, true
      put(p)
      call('ZADD', slots, slot_end(p), user)
      show_inside(p)
      counted_entered = true
    else
      call('ZADD', queue, p.order, user)
      put(p)
      recount(p)
      call('ZADD', due, absent_at(p), user)
    end
  end
end
save_room()
return {0, back}
