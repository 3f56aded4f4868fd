-- Reads whether a fan is inside. It uses only two commands, because a shop's gateway calls it for every
-- request. KEYS: room, places. ARGV: user, number (0: the user's place), what the caller knows (epoch,
-- changes, highest number), the run id. Returns {number, time of the last poll, when it entered, the room's
-- floor, version, epoch}, or {} where room_ask.lua must decide.
local server, epoch, changes, last_number, floor, version =
  unpack(redis.call('HMGET', KEYS[1], 'server', 'epoch', 'changes', 'last_number', 'floor', 'version'))
local bytes = redis.call('HGET', KEYS[2], ARGV[1])
if server ~= ARGV[6] or not bytes then return {} end
local known_epoch, known_changes, known_number = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
epoch, changes, last_number = tonumber(epoch), tonumber(changes), tonumber(last_number)
if knows_less(epoch, changes, last_number, known_epoch, known_changes, known_number) then return {} end
local p = place_of(ARGV[1], bytes)
if not p.entered or (ARGV[2] ~= '0' and tonumber(ARGV[2]) ~= p.number) then return {} end
return {p.number, p.seen, p.entered_at, tonumber(floor), tonumber(version), epoch}
