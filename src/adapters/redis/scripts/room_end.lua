-- Ends a place or slot. ARGV: user, number, epoch, only when inside ('1' or '0'). Returns {1, number, 1 if it was inside} where there was
-- one, else {0}.
local stop = begin()
if stop then return {stop} end
local p = own(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
local ended = p and (p.entered or ARGV[6] == '0')
if ended then
  end_place(p, false)
  call('DEL', token)
  fill()
end
save_room()
return {ended and 1 or 0, ended and p.number or 0, ended and p.entered and 1 or 0}
