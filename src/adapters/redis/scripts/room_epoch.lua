-- A failover may have lost the newest writes: admission pauses, and tokens of before may be put back. ARGV: the server's run id, the epoch
-- at least, hold until, last number at least. Once per run id. Returns 1 where it was news.
if not load_room() then return NO_ROOM end
local known = call('HGET', room, 'run_id')
if known == ARGV[3] then return 0 end
call('HSET', room, 'run_id', ARGV[3])
if not known then return 0 end
call('HSET', room, 'epoch', max(r.epoch + 1, tonumber(ARGV[4])), 'hold_until', ARGV[5], 'floor', now,
  'last_number', max(r.last_number, tonumber(ARGV[6])), 'version', r.version + 1)
return 1
