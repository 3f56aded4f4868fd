-- Does what has become due. ARGV: what the caller knows to have happened (epoch, changes, highest number). Returns {0 or refusal, version, serving, waiting, entered, last number, when something is due next, epoch,
-- changes, lines that wait for the database}.
local stop = begin(ARGV[3], ARGV[4], ARGV[5])
if stop then return {stop} end
save_room()
local next_due = 0
for _, deadlines in ipairs({slots, due, turns}) do
  local first = call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')
  if first[2] and (next_due == 0 or tonumber(first[2]) < next_due) then next_due = tonumber(first[2]) end
end
return {0, r.version, r.serving, call('ZCARD', queue), call('ZCARD', slots), r.last_number, next_due, r.epoch, r.changes, call('LLEN', log)}
