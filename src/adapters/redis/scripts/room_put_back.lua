-- The score of a restored place: between its neighbours' scores. After a restart without data, each place
-- before `lost_number` gets the score `base_score` + order.
local function score_at(order)
  if r.base_score > 0 and order < r.lost_number then return r.base_score + order end
  flush()
  local function fan_at(index)
    local fan = index >= 0 and call('ZRANGE', queue, index, index, 'WITHSCORES') or {}
    if fan[1] then return get(fan[1]).order, tonumber(fan[2]) end
  end
  local low, high = 0, call('ZCARD', queue)
  while low < high do
    local middle = floor((low + high) / 2)
    if fan_at(middle) < order then low = middle + 1 else high = middle end
  end
  local order_before, score_before = fan_at(low - 1)
  local order_after, score_after = fan_at(low)
  if not order_before then
    if not order_after then order_after, score_after = max(r.last_number, order + 1), r.last_score + 1 end
    return score_after - (order_after - order)
  end
  local step = 1
  if order_after then step = floor((score_after - score_before) / (order_after - order_before)) end
  return score_before + step * (order - order_before)
end

-- Restores a place that was lost, inside (`entered_at`) or waiting (0). If the fan has joined again since,
-- the older place replaces the new one.
local function put_back(user, number, order, entered_at)
  local known = get(user)
  if known and known.number == number and (known.entered or entered_at == 0) then return end
  if known then end_place(known, 'L') end
  local p = {user = user, number = number, digits = text(number), order = order, seen = now,
    entered_at = entered_at, tenths = 10, present = true}
  r.last_number = max(r.last_number, number)
  if entered_at > 0 then
    p.entered, p.arrived = true, true
    put(p)
    endings[#endings + 1], endings[#endings + 2] = text(slot_end(p)), user
    show_inside(user, slot_end(p))
    moved('!', order)
    inside_changed = true
  else
    local score = score_at(order)
    r.last_score = max(r.last_score, score)
    lining[#lining + 1], lining[#lining + 2] = text(score), user
    waiting, edge = nil, nil
    moved('^', order)
    arm(p, absent_at(p))
    put(p)
  end
end
