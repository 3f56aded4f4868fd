-- The room may have forgotten what was acknowledged (a failover, a restart): admission pauses, tokens of before may be put back, and inside is whom the
-- database remembers. ARGV: what the caller knows to have happened (epoch, changes, highest number). Alone a question: {1 or 0, epoch, who served it last,
-- who serves it now, and of all inside user and number in turn}. To do it also: who served it when it was asked, the next epoch at least, how long nobody
-- is admitted, how many may come back, '1' with the last of the fans, and for each: user, number, place in the order, when it entered (0: it has ended).
-- Returns {1}, {0} where it was done already, or {AGAIN} where another server answers.
if not load_room() then return {NO_ROOM} end
local lost = forgotten(ARGV[3], ARGV[4], ARGV[5])
if #ARGV == 5 then
  local answer = {lost and 1 or 0, r.epoch, r.server, server}
  for _, user in ipairs(lost and call('ZRANGE', slots, 0, -1) or {}) do
    answer[#answer + 1] = user
    answer[#answer + 1] = get(user).number
  end
  return answer
end
if ARGV[6] ~= server then return {AGAIN} end
local epoch = tonumber(ARGV[7])
if not lost then
  -- The admissions of an epoch below the database's would be refused.
  if r.epoch < epoch then call('HSET', room, 'epoch', epoch, 'version', r.version + 1) end
  return {0}
end
for at = 11, #ARGV, 4 do
  local user, number, order, entered_at = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local known = get(user)
  if entered_at > 0 then
    -- A place that was given later proves that this one had ended, though nobody wrote it down.
    if not known or known.number <= number then put_back(user, number, order, entered_at) end
  elseif known and known.number == number then
    end_place(known, false)
  end
end
save_room()
if ARGV[10] == '1' then
  -- So far beyond what the caller had seen that nobody else had handed it out.
  local last = max(r.last_number, tonumber(ARGV[5])) + 1000000
  call('HSET', room, 'server', server, 'epoch', max(epoch, r.epoch + 1), 'hold_until', now + tonumber(ARGV[8]), 'floor', now, 'last_number', last,
    'version', r.version + 1, 'lost_at', now, 'lost_admitted', r.admitted, 'lost_front', -1, 'lost_number', last, 'lost_waiting', ARGV[9])
end
return {1}
