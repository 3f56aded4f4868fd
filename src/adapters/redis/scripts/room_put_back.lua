-- Puts a place back where it was before a loss, inside (`entered_at`) or waiting (0). A fan who joined anew
-- since, and waits, gets its older place.
local function put_back(user, number, order, entered_at)
  local known = get(user)
  if known and known.number == number and (known.entered or entered_at == 0) then return end
  if known then end_place(known, 'L') end
  local p = {user = user, number = number, order = order, seen = now, entered_at = entered_at, tenths = 10,
    present = true}
  r.last_number = max(r.last_number, number)
  if entered_at > 0 then
    p.entered, p.arrived = true, true
    put(p)
    endings[#endings + 1], endings[#endings + 2] = text(slot_end(p)), user
    show_inside({user})
    moved('!', order)
    inside_changed = true
  else
    flush()
    lining[#lining + 1], lining[#lining + 2] = text(order), user
    waiting, edge = nil, nil
    moved('^', order)
    arm(p, absent_at(p))
    put(p)
  end
end
