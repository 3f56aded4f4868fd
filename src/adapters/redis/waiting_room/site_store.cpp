#include "adapters/redis/waiting_room/site_store.h"

#include <algorithm>
#include <tuple>

#include "adapters/redis/lock/lease.h"
#include "adapters/redis/waiting_room/room_scripts.h"
#include "domain/waiting_room/pass.h"

namespace maejin::redis {

// The read at the beginning restores a room that Redis lost, so that the name of that room is still taken.
Task<Outcome<Done>> SiteStore::CreateRoom(RoomId room, RoomPatch patch, std::string actor, Time now) {
  const auto known = co_await runner_.Read(room, now);
  if (known.ok()) co_return Refused{Refusal::kRoomExists, room};
  if (known.error().why != Refusal::kRoomNotFound) co_return known.error();
  Recovery::NewRoom fresh{Apply(DefaultSettings(room), patch), FirstState(patch, now)};
  const auto created = co_await recovery_.Create(room, now, std::move(fresh));
  if (!created.ok()) co_return created.error();
  if (!*created) co_return Refused{Refusal::kRoomExists, room};
  const auto read = co_await runner_.Read(room, now);
  if (!read.ok()) co_return read.error();
  std::ignore = co_await recovery_.SaveRoom(*read, now);
  if (audit_) audit_(now, actor, "room.create", room, Describe(patch));
  co_return Done{};
}

Task<Outcome<Done>> SiteStore::DeleteRoom(RoomId name, std::string actor, Time now) {
  const auto room = co_await runner_.Read(name, now);
  if (!room.ok()) co_return room.error();
  const auto known = (*room)->known();
  const auto fenced = co_await recovery_.FenceDeleted(name, known.epoch, known.highest, now);
  if (!fenced.ok()) co_return fenced.error();
  const auto removed = co_await recovery_.RemoveFenced(name, known.epoch, known.highest, now);
  if (!removed.ok()) co_return removed.error();
  if (audit_) audit_(now, actor, "room.delete", name, "");
  co_return Done{};
}

std::shared_ptr<const SiteSettings> SiteStore::SiteAtOnce(std::string_view name) {
  const auto* room = rooms_.Find(name);
  const auto record = room ? room->record() : nullptr;
  if (!record) return nullptr;
  return {record, &record->info.settings.site};
}

// If Redis loses the key, a second use gives the same visitor the same slot: no slot is added.
Task<Outcome<bool>> SiteStore::UseCode(Id128 code, Time expires_at, Time now) {
  Lease use(client_, "return:" + code.ToString(), "1");
  const auto life = std::max<Millis>(expires_at - now, Millis{1});
  const auto used = co_await use.Take(life);
  co_return used;
}

// If Redis loses the key, one step of the floating rate comes early.
Task<Outcome<bool>> SiteStore::TakeFloatLease(RoomId room, Millis length, Time) {
  Lease lease(client_, "float:" + room, "1");
  const auto taken = co_await lease.Take(length);
  co_return taken;
}

Task<Outcome<std::vector<Revocation>>> SiteStore::Revocations(RoomId name, Time now) {
  const auto room = co_await runner_.ReadIfUnknown(name, now);
  if (!room.ok()) co_return room.error();
  auto ended = co_await log_.EndedEarly(name, now);
  if (!ended.ok()) co_return ended.error();
  std::vector<Revocation> revoked;
  for (const auto& each : *ended)
    revoked.push_back({PassId(each.room, each.number, each.entered_at), each.session_ends_at});
  std::ranges::sort(revoked, {}, &Revocation::jti);
  co_return revoked;
}

}  // namespace maejin::redis
