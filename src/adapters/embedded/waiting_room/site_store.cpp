#include "adapters/embedded/waiting_room/site_store.h"

#include <algorithm>

#include <fmt/format.h>

#include "adapters/embedded/waiting_room/room_rows.h"

namespace maejin::embedded {
namespace {

constexpr Sql kUse{"INSERT OR REPLACE INTO used_return_code (code, expires_at) VALUES (?, ?)"};
constexpr Sql kForgetCodes{"DELETE FROM used_return_code WHERE expires_at <= ?"};
// Above this number of codes in memory, expired codes are removed.
constexpr std::size_t kManyCodes = 4096;

}  // namespace

SiteStore::SiteStore(Connection& connection, Rooms& rooms, Journal& journal, AuditLog& audit, Time now)
    : rooms_(rooms), journal_(journal), audit_(audit) {
  auto codes = connection.Prepare("SELECT code, expires_at FROM used_return_code");
  while (codes.Step()) {
    const auto code = Id128::Parse(codes.Text(0));
    if (code) used_.emplace(*code, TimeFromMillis(codes.Int(1)));
  }
  for (Room* room : rooms_.All()) room->revoked = ReadRevoked(connection, room->id, now);
}

Task<Outcome<Done>> SiteStore::CreateRoom(RoomId name, RoomPatch patch, std::string actor, Time now) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  RoomRow row;
  row.name = name;
  // A room that was deleted in the second of its creation has the same epoch. Its tokens are refused, because
  // no place of the new room has their number and user.
  row.epoch = EpochOf(now);
  row.settings = Apply(DefaultSettings(name), patch);
  row.state = FirstState(patch, now);
  const auto subject = fmt::format("room {}", name);
  const auto detail = Describe(patch);
  const AuditEntry audit{now, actor, "room.create", subject, detail};
  const auto* room =
      rooms_.Create(std::move(row), [&](WriteSet& rows) { return audit_.Append(rows, audit); });
  if (!room) co_return Refused{Refusal::kRoomExists, name};
  co_return co_await journal_.Committed(room->created);
}

Task<Outcome<Done>> SiteStore::DeleteRoom(RoomId name, std::string actor, Time now) {
  Room* room = rooms_.Find(name);
  if (!room) co_return Refused{Refusal::kRoomNotFound, name};
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const auto subject = fmt::format("room {}", name);
  const AuditEntry audit{now, actor, "room.delete", subject, ""};
  Ticket ticket = 0;
  {
    const std::lock_guard lock(room->mutex);
    if (room->removed) co_return Refused{Refusal::kRoomNotFound, name};
    WriteSet rows;
    WriteRemoved(room->id, rows);
    ticket = audit_.Append(rows, audit);
    room->removed = true;
  }
  co_return co_await journal_.Committed(ticket);
}

std::shared_ptr<const SiteSettings> SiteStore::SiteAtOnce(std::string_view name) {
  Room* room = rooms_.Find(name);
  if (!room) return nullptr;
  const std::lock_guard lock(room->mutex);
  return room->site;
}

std::optional<Ticket> SiteStore::Use(const Id128& code, Time expires_at, Time now) {
  const std::lock_guard lock(mutex_);
  WriteSet rows;
  if (used_.size() >= kManyCodes) {
    std::erase_if(used_, [now](const auto& each) { return each.second <= now; });
    rows.Add(kForgetCodes).At(now);
  }
  if (!used_.emplace(code, expires_at).second) return {};
  rows.Add(kUse).Text(code.ToString()).At(expires_at);
  return journal_.Append(rows);
}

Task<Outcome<bool>> SiteStore::UseCode(Id128 code, Time expires_at, Time now) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const auto ticket = Use(code, expires_at, now);
  if (!ticket) co_return false;
  const auto committed = co_await journal_.Committed(*ticket);
  if (!committed.ok()) co_return committed.error();
  co_return true;
}

Task<Outcome<bool>> SiteStore::TakeFloatLease(RoomId room, Millis length, Time now) {
  const std::lock_guard lock(mutex_);
  auto& ends = float_leases_[room];
  if (now < ends) co_return false;
  ends = now + length;
  co_return true;
}

Task<Outcome<std::vector<Revocation>>> SiteStore::Revocations(RoomId name, Time now) {
  Room* room = rooms_.Find(name);
  if (!room) co_return Refused{Refusal::kRoomNotFound, name};
  std::vector<Revocation> revoked;
  {
    const std::lock_guard lock(room->mutex);
    revoked = room->revoked;
  }
  std::erase_if(revoked, [now](const Revocation& each) { return each.expires_at <= now; });
  std::ranges::sort(revoked, {}, &Revocation::jti);
  co_return revoked;
}

}  // namespace maejin::embedded
