-- Decides requests of fans that join, poll or look, one after the other in one call. ARGV: four words a fan:
-- user, number, epoch, and 'poll' (renews presence) or 'look' (does not); of a fan that joins: user, 0, its
-- address prefix ('0': not limited), 'join'. Its own value: the answers (replies.h).

-- A leaky bucket per address prefix, in milliseconds: a minute's worth may come at once. The buckets of one
-- call are written together.
local buckets = {}
local function may_join(prefix)
  if prefix == '0' or not r.joins_limit then return true end
  local used_until = buckets[prefix] or tonumber(call('HGET', joins, prefix) or 0)
  local free_at = max(used_until, now) + 60000 / r.joins_limit
  if free_at - now > 60000.5 then return false end
  buckets[prefix] = free_at
  return true
end
local function write_buckets()
  local words = {}
  for prefix, free_at in pairs(buckets) do words[#words + 1], words[#words + 2] = prefix, free_at end
  if #words == 0 then return end
  if call('HLEN', joins) > 100000 then call('DEL', joins) end
  call_many('HSET', joins, words)
  call('PEXPIRE', joins, 120000)
end

-- Before its first answer a fan has no interval: the answer arms its deadline.
local NEVER = 65535
local function join(user, prefix)
  if r.state == 'scheduled' then return nil, NOT_OPEN end
  if r.state == 'closed' or r.draining then return nil, CLOSED end
  if not may_join(prefix) then return nil, TOO_MANY end
  settle_credit()
  local ahead = line_size()
  r.last_number, joined, waiting = r.last_number + 1, joined + 1, ahead + 1
  local p = {user = user, number = r.last_number, digits = text(r.last_number), order = r.last_number - 1,
    rank = ahead, seen = now, tenths = NEVER, present = true, passed = false, entered = false,
    arrived = false, turn = false, entered_at = 0, look_at = 0}
  r.last_score = max(now * 1000, r.last_score + 1)
  lining[#lining + 1], lining[#lining + 2] = text(r.last_score), user
  if edge == math.huge then
    spare = spare - 1
    if spare == 0 then edge = p.order end
  end
  if ahead == 0 and r.push and allowed() > 0 then
    admit(p)
    return p
  end
  put(p)
  if r.push then
    p.rank = nil -- others may enter
    fill()
  end
  return p
end

local function ask(user, number, epoch, what)
  local p, why, flags
  if what == 'join' then
    p = get(user)
    if not p then
      p, why = join(user, epoch)
      flags = IS_NEW
    end
  else
    p, why = own(user, tonumber(number), tonumber(epoch))
  end
  if not p then return refuse(why) end
  if what == 'look' then
    local status, interval, ends = standing(p)
    return add_answer(p, status, interval, ends, 0)
  end
  if mark_seen(p) then
    put(p)
    fill()
  end
  answer_fan(p, flags or 0)
end

local stop = begin()
if stop then return {stop} end
local users = {}
for i = FIRST, #ARGV, 4 do users[#users + 1] = ARGV[i] end
load_places(users)
for i, user in ipairs(users) do
  local at = FIRST + (i - 1) * 4
  ask(user, ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
end
write_buckets()
return reply(table.concat(answers))
