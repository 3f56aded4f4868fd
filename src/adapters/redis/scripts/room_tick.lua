-- Does the due work of the room. ARGV: the node. The script's own values: when work is due next (0: never),
-- and how many log entries wait for the database.
local stop = begin()
if stop then return {stop} end
if known_epoch == r.epoch and mirror_at >= 0 then register(ARGV[FIRST]) end
save_room()
local next_due = 0
for _, deadlines in ipairs({slots, due, turns}) do
  local first = call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')
  if first[2] and (next_due == 0 or tonumber(first[2]) < next_due) then next_due = tonumber(first[2]) end
end
return reply(next_due, call('LLEN', log))
