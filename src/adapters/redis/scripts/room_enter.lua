-- Takes a slot; inside already: the same slot. ARGV: user, number, epoch, what the caller knows to have happened (epoch, changes, highest number).
local stop = begin(ARGV[6], ARGV[7], ARGV[8])
if stop then return {stop} end
local p, why = own(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
if not p then
  save_room()
  return {why}
end
mark_seen(p)
if p.passed then
  settle_credit() -- nobody was waited for meanwhile: nothing gathered
  p.passed = false
  recount(p)
end
put(p)
fill()
p = get(p.user)
local refusal
if not p.entered then
  refusal = r.state == 'closed' and CLOSED or not is_ready(p) and NOT_YOUR_TURN or nil
  if not refusal then admit(p) end
end
local told
if refusal then
  told = {refusal}
else
  if not p.arrived then fresh = 1 end
  p.arrived = true
  told = tell(p)
end
save_room()
return told
