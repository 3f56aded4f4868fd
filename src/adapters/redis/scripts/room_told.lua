-- What fans were told last before the room was lost: every node tells what it told, and of each rank the least is kept. Nobody is admitted meanwhile; when that is
-- over nothing is added any more, and every node reads the same. KEYS beyond the room's: the ranks. ARGV: when the room was lost, then the pieces: index and bytes
-- (told_ranks.h) in turn. Without pieces it is asked whether they can be read by now. Returns {1}, or {0} where it is too late to tell or too early to read, or {AGAIN} where
-- the room was lost anew.
if not load_room() then return {NO_ROOM} end
local ranks, lost_at = KEYS[17], ARGV[3]
if r.server ~= server or r.lost_at ~= tonumber(lost_at) then return {AGAIN} end
if call('HGET', ranks, 'lost_at') ~= lost_at then
  call('DEL', ranks)
  call('HSET', ranks, 'lost_at', lost_at)
  call('PEXPIRE', ranks, r.grace)
end
if #ARGV == 3 then
  if now < r.hold_until then return {0} end
  call('HSET', ranks, 'closed', 1)
  return {1}
end
if now >= r.hold_until or call('HEXISTS', ranks, 'closed') == 1 then return {0} end

local function least(some, others)
  local merged = {}
  for at = 1, #some, 4 do
    local one, other = unpack_bytes('<I4', some, at), unpack_bytes('<I4', others, at)
    merged[#merged + 1] = pack('<I4', (one == 0 or (other > 0 and other < one)) and other or one)
  end
  return table.concat(merged)
end
for at = 4, #ARGV, 2 do
  local known = call('HGET', ranks, ARGV[at])
  call('HSET', ranks, ARGV[at], known and least(known, ARGV[at + 1]) or ARGV[at + 1])
end
return {1}
