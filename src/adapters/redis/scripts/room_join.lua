-- The fan's place: the one it has, or a new one at the end. ARGV: user, the corner of the net it comes from ('0': not limited), what the
-- caller knows to have happened (epoch, changes, highest number).
local user, prefix = ARGV[3], ARGV[4]

-- A leaky bucket per corner, in milliseconds: a minute's worth may come at once. Who has a place already takes none.
local function may_join()
  if prefix == '0' or not r.joins_limit then return true end
  local free_at = max(tonumber(call('HGET', joins, prefix) or 0), now) + 60000 / r.joins_limit
  if free_at - now > 60000.5 then return false end
  if call('HLEN', joins) > 100000 then call('DEL', joins) end
  call('HSET', joins, prefix, free_at)
  call('PEXPIRE', joins, 120000)
  return true
end
local stop = begin(ARGV[5], ARGV[6], ARGV[7])
if stop then return {stop} end
local p = get(user)
if p then
  local told = poll(p)
  save_room()
  return told
end
local refusal = r.state == 'scheduled' and NOT_OPEN or (r.state == 'closed' or r.draining) and CLOSED or nil
if not refusal and not may_join() then refusal = TOO_MANY end
if refusal then
  save_room()
  return {refusal}
end
settle_credit()
r.changes = r.changes + 1
r.last_number = r.last_number + 1
p = {user = user, number = r.last_number, order = r.last_number - 1, seen = now, entered_at = 0, tenths = 0, present = true}
local alone = call('ZCARD', queue) == 0
call('ZADD', queue, p.order, user)
if alone and r.push and allowed() > 0 then
  admit(p)
else
  local _, interval = standing(p)
  p.tenths = floor((interval + 99) / 100)
  arm(p, absent_at(p))
  put(p)
  fill()
  p = get(user)
end
local told = poll(p)
told[10] = 1
save_room()
return told
