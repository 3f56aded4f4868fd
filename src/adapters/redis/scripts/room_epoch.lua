-- Starts a new epoch after a failover or restart, when acknowledged changes may be missing. Afterwards
-- admission pauses, and tokens of older epochs may restore their places. The arguments correct which fans are
-- inside, by the records of the database.
--
-- Without own arguments the script only reads. It then returns {1 where changes may be missing (else 0),
-- fields and values of the room, its draws, the run id of this server, {user, number, … of the fans inside}}.
--
-- ARGV to start the epoch: the run id that was read; the lowest allowed epoch; how long admission pauses; '1'
-- if this call has the last fans; the highest number given and the number admitted last, as the caller and
-- the database know them; the number of words of a newer record of the room (0: Redis has the newest), and
-- these words; then four words for each fan: user, number, order, when it entered (0: its slot has ended).
-- The newer record goes with the last fans, as write_record() reads it. Returns {1}; {0} where the epoch was
-- started already; {AGAIN} where another server answers.

if not load_room() then return {NO_ROOM} end
local lost = forgotten()
if #ARGV < FIRST then
  local inside = {}
  for _, user in ipairs(lost and call('ZRANGE', slots, 0, -1) or {}) do
    inside[#inside + 1], inside[#inside + 2] = user, get(user).number
  end
  return {lost and 1 or 0, call('HGETALL', room), call('LRANGE', draws, 0, -1), server, inside}
end
if ARGV[FIRST] ~= server then return {AGAIN} end
local epoch = tonumber(ARGV[FIRST + 1])
if not lost then
  -- The database would refuse admissions of an epoch below its own.
  if r.epoch < epoch then call('HSET', room, 'epoch', epoch, 'version', r.version + 1) end
  return {0}
end
local newer_to = FIRST + 6 + tonumber(ARGV[FIRST + 6])
for at = newer_to + 1, #ARGV, 4 do
  local user, number, entered_at = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 3])
  local known = get(user)
  if entered_at > 0 then
    -- A later place of the user proves that this one has ended, although the database has no record of the
    -- end.
    if not known or known.number <= number then put_back(user, number, tonumber(ARGV[at + 2]), entered_at) end
  elseif known and known.number == number then
    end_place(known, 'L')
  end
end
save_room()
if ARGV[FIRST + 3] == '1' then
  if r.lost_at == 0 or now >= r.lost_at + r.grace then call('DEL', before) end
  if newer_to > FIRST + 6 then
    call('DEL', flow)
    write_record(FIRST + 7, newer_to)
  end
  -- New numbers start far above the highest known one, so that they differ from lost numbers that another
  -- server gave.
  local last = max(r.last_number, known_number, tonumber(ARGV[FIRST + 4])) + 1000000
  local last_score = max(now * 1000, r.last_score) + 1000000
  call('HSET', room .. ':tally', 'lost', 1)
  -- While the concert has no seats, the nodes repeat that (follow_concert.cpp), before admission goes on.
  call('HSET', room, 'server', server, 'epoch', max(epoch, r.epoch + 1), 'has_seats', 1,
    'hold_until', now + tonumber(ARGV[FIRST + 2]), 'floor', now, 'last_number', last,
    'version', r.version + 1, 'lost_at', now, 'lost_number', last, 'merged', 0,
    'serving', max(r.serving, tonumber(ARGV[FIRST + 5])), 'last_score', text(last_score),
    'base_score', call('ZCARD', queue) == 0 and text(last_score - last) or 0)
end
return {1}
