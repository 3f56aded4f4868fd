-- Changes settings and phase. ARGV: the version of the room for which the node decided the change; '1' to
-- reset the observed outflow; where a draw ends, its last number ('': none ends); then the new record, as
-- write_record() reads it. Returns {AGAIN} where the room has changed since.
local version, reset_flow, last_number = unpack(ARGV, FIRST, FIRST + 2)
if not load_room() then return {NO_ROOM} end
if forgotten() then return {GONE_BACK} end
if r.version ~= tonumber(version) then return {AGAIN} end
if last_number ~= '' and r.last_number ~= tonumber(last_number) then return {AGAIN} end
advance(true)
settle_credit()
save_room()
if reset_flow == '1' then call('DEL', flow) end
write_record(FIRST + 3, #ARGV)
if r.phase_at == 0 or now < r.phase_at then advance(true) end
return reply()
