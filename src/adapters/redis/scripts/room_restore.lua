-- Puts fans back where they were before Redis lost its memory. ARGV: five words a fan: user, number, epoch, place in the order, when it entered (0: it
-- waited). Who is not missed, any more perhaps, is passed over. Returns {0, how many are not missed now}.
local stop = begin()
if stop then return {stop} end
-- The place of a waiter who stayed away for so long has ended.
local too_late = settled(math.huge) < 0
local not_missed = 0
for i = 3, #ARGV, 5 do
  local user, number, entered_at = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 4])
  local _, why = own(user, number, tonumber(ARGV[i + 2]))
  local missed = why == LOST
  if missed and (entered_at > 0 or not too_late) then
    put_back(user, number, tonumber(ARGV[i + 3]), entered_at)
    missed = false
  end
  if not missed then not_missed = not_missed + 1 end
end
save_room()
return {0, not_missed}
