-- The room has forgotten what a node knows to have happened (a failover, a restart with older data): admission pauses, and tokens of before may
-- be put back. ARGV: the epoch, the changes and the highest number known, the next epoch at least, hold until, last number at least, how many may
-- come back. Returns {1}, or {0} where it was done already.
if not load_room() then return {NO_ROOM} end
local epoch = tonumber(ARGV[3])
local knows = r.changes >= tonumber(ARGV[4]) and r.last_number >= tonumber(ARGV[5])
if r.epoch > epoch or (r.epoch == epoch and knows) then return {0} end
local last = max(r.last_number, tonumber(ARGV[8]))
call('HSET', room, 'epoch', max(epoch + 1, tonumber(ARGV[6])), 'hold_until', ARGV[7], 'floor', now,
  'last_number', last, 'version', r.version + 1, 'lost_at', now, 'lost_admitted', r.admitted, 'lost_number', last,
  'lost_waiting', ARGV[9])
return {1}
