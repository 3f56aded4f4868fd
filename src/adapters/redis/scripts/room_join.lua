-- The fan's place: the one it has, or a new one at the end. ARGV[3]: user.
local user = ARGV[3]
local stop = begin()
if stop then return {stop} end
local p = get(user)
if p then
  local told = poll(p)
  save_room()
  return told
end
local refusal = r.state == 'scheduled' and NOT_OPEN or (r.state == 'closed' or r.draining) and CLOSED or nil
if refusal then
  save_room()
  return {refusal}
end
settle_credit()
r.last_number = r.last_number + 1
p = {user = user, number = r.last_number, order = r.last_number - 1, seen = now, entered_at = 0, tenths = 0, present = true}
local alone = call('ZCARD', queue) == 0
call('ZADD', queue, p.order, user)
put(p)
recount(p)
if alone and r.push and allowed() > 0 then
  admit(p)
else
  p.tenths = floor((standing(p)[4] + 99) / 100)
  put(p)
  call('ZADD', due, absent_at(p), user)
  fill()
  p = get(user)
end
local told = poll(p)
told[10] = 1
save_room()
return told
