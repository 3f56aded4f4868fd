-- Whether the fan is inside, without the rules of the room: asked with every request that reaches a shop. KEYS: room, places. ARGV: user, number (0: whatever place it has), what
-- the caller knows to have happened (epoch, changes, highest number), the run id. Returns {number, when it was seen, when it entered, the room's floor, version, epoch, changes}; {}
-- where that is not plain: room_look.lua knows more.
local server, epoch, changes, last_number, floor, version =
  unpack(redis.call('HMGET', KEYS[1], 'server', 'epoch', 'changes', 'last_number', 'floor', 'version'))
local bytes = redis.call('HGET', KEYS[2], ARGV[1])
if server ~= ARGV[6] or not bytes then return {} end
epoch, changes = tonumber(epoch), tonumber(changes or 0)
if knows_less(epoch, changes, tonumber(last_number), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])) then return {} end
local p = place_of(ARGV[1], bytes)
if not p.entered or (ARGV[2] ~= '0' and tonumber(ARGV[2]) ~= p.number) then return {} end
return {p.number, p.seen, p.entered_at, tonumber(floor), tonumber(version), epoch, changes}
