-- The first notes that the database has yet to remember: all ends, and the admissions that nobody has in hand. ARGV: what the caller knows to have happened
-- (epoch, changes, highest number), about how many at most, and until when an admission must have been made.
-- Returns {0, the notes}, or why not: where the room has forgotten something, an end may be missing among them.
if not load_room() then return {NO_ROOM} end
if forgotten(ARGV[3], ARGV[4], ARGV[5]) then return {GONE_BACK} end
local most, until_when, found, at = tonumber(ARGV[6]), tonumber(ARGV[7]), {}, 0
while #found < most do
  local notes = call('LRANGE', log, at, at + most - 1)
  for _, note in ipairs(notes) do
    local admitted_at = string.match(note, '^a\n(%d+)')
    if not admitted_at or tonumber(admitted_at) <= until_when then found[#found + 1] = note end
  end
  if #notes < most then break end
  at = at + most
end
return {0, found}
