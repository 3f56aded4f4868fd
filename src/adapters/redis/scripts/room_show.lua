-- The seed's view of a fan of `main`, for readers. KEYS as every script of a room, then queue:user:<user> and queue:token:<token>. ARGV: user,
-- token, how long both live (ms). Follows the truth: a place that has ended meanwhile is not shown.
if not load_room() then return {NO_ROOM} end
local p = get(ARGV[3])
if not p then return {NOT_QUEUED} end
call('HSET', tokens, p.user, ARGV[4])
call('SET', KEYS[17], ARGV[4], 'PX', ARGV[5])
call('SET', KEYS[18], p.user, 'PX', ARGV[5])
if p.entered then
  call('SADD', active, ARGV[4])
else
  call('ZADD', shown, p.order, ARGV[4])
end
return {0}
