-- Restores lost places. ARGV: five words a place: user, number, epoch, order, when it entered (0: it waited).
-- Places that are not lost are skipped. The script's own value: how many of these places are not lost any
-- more.
local stop = begin()
if stop then return {stop} end
local too_late = r.lost_at == 0 or now >= r.lost_at + r.grace -- a waiter's place has ended by then
local present = 0
for i = FIRST, #ARGV, 5 do
  local user, number, entered_at = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 4])
  local _, why = own(user, number, tonumber(ARGV[i + 2]))
  local missing = why == LOST
  if missing and (entered_at > 0 or not too_late) then
    put_back(user, number, tonumber(ARGV[i + 3]), entered_at)
    missing = false
  end
  if not missing then present = present + 1 end
end
return reply(present)
