-- Ends a place or slot. ARGV: user, number, epoch, only when inside ('1' or '0'), what the caller knows to have happened (epoch, changes, highest number).
-- Returns {1, number, 1 if it was inside} where there was one, else {0} or why not; {AGAIN, when} where the fan was heard of after it was asked for: a call
-- that came late (Redis hung, the network was cut, and nobody waits for it any more) must not throw out a fan who has gone on since.
local stop = begin(ARGV[7], ARGV[8], ARGV[9])
if stop then return {stop} end
local p, why = own(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
if not p then
  save_room()
  return {why}
end
if tonumber(ARGV[1]) < p.seen then
  save_room()
  return {AGAIN, p.seen}
end
local ended = p.entered or ARGV[6] == '0'
if ended then
  end_place(p, false)
  call('DEL', token)
  fill()
end
save_room()
return {ended and 1 or 0, ended and p.number or 0, ended and p.entered and 1 or 0}
