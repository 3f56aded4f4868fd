#include "adapters/embedded/emergency_store.h"

namespace maejin::embedded {
namespace {

constexpr Sql kPutBypass{"INSERT OR REPLACE INTO bypasses (room, ends_at, session_seconds) VALUES (?, ?, ?)"};
constexpr Sql kDeleteBypass{"DELETE FROM bypasses WHERE room = ?"};
constexpr Sql kPutStay{
    "INSERT OR REPLACE INTO bypass_stays (room, user, number, entered_at, ends_at) VALUES (?, ?, ?, ?, ?)"};
constexpr Sql kEndOneStay{"UPDATE bypass_stays SET ended = 1 WHERE room = ? AND user = ?"};
constexpr Sql kDeleteRoomStays{"DELETE FROM bypass_stays WHERE room = ?"};
constexpr Sql kDeleteUserStays{"DELETE FROM bypass_stays WHERE user = ?"};
constexpr Sql kDeletePastStays{"DELETE FROM bypass_stays WHERE ends_at <= ?"};
constexpr Sql kDeletePastBypasses{"DELETE FROM bypasses WHERE ends_at <= ?"};
constexpr Sql kBeginMaintenance{"INSERT OR REPLACE INTO maintenance (id, since) VALUES (1, ?)"};
constexpr Sql kEndMaintenance{"DELETE FROM maintenance"};

}  // namespace

EmbeddedEmergencyStore::EmbeddedEmergencyStore(Connection& reader, Journal& journal, AuditLog& audit)
    : journal_(journal), audit_(audit) {
  auto bypasses = reader.Prepare("SELECT room, ends_at, session_seconds FROM bypasses");
  while (bypasses.Step())
    table_.PutBypass({RoomId(bypasses.Text(0)), TimeFromMillis(bypasses.Int(1)), Seconds{bypasses.Int(2)}});
  auto stays = reader.Prepare("SELECT room, user, number, entered_at, ends_at, ended FROM bypass_stays");
  while (stays.Step()) {
    Stay stay{RoomId(stays.Text(0)), UserId(stays.Text(1)), static_cast<PlaceNumber>(stays.Int(2)),
              TimeFromMillis(stays.Int(3)), TimeFromMillis(stays.Int(4))};
    const bool ended = stays.Int(5) != 0;
    if (ended) table_.AddEnded(stay.ends_at);
    if (!ended) table_.AddStay(stay.room, stay.ends_at);
    const std::pair key(stay.room, stay.user);
    stays_[key] = {std::move(stay), ended};
  }
  auto maintenance = reader.Prepare("SELECT since FROM maintenance");
  if (maintenance.Step()) table_.SetMaintenance(TimeFromMillis(maintenance.Int(0)));
}

Task<Outcome<bool>> EmbeddedEmergencyStore::WhenCommitted(std::optional<Ticket> ticket) {
  if (!ticket) co_return false;
  const auto committed = co_await journal_.Committed(*ticket);
  if (!committed.ok()) co_return committed.error();
  co_return true;
}

Task<Outcome<Done>> EmbeddedEmergencyStore::StartBypass(Bypass bypass, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    WriteSet rows;
    rows.Add(kPutBypass).Text(bypass.room).At(bypass.ends_at).Int(bypass.session_limit.count());
    const auto subject = "room " + bypass.room;
    const auto detail = Describe(bypass, actor.at);
    ticket = audit_.Append(rows, {actor.at, actor.name, "room.bypass", subject, detail});
    table_.PutBypass(std::move(bypass));
  }
  co_return co_await journal_.Committed(ticket);
}

std::optional<Ticket> EmbeddedEmergencyStore::AppendEndBypass(const RoomId& room, const Operator& actor) {
  const std::lock_guard lock(mutex_);
  if (!table_.EraseBypass(room, actor.at)) return {};
  WriteSet rows;
  rows.Add(kDeleteBypass).Text(room);
  const auto subject = "room " + room;
  return audit_.Append(rows, {actor.at, actor.name, "room.bypass-end", subject, ""});
}

Task<Outcome<bool>> EmbeddedEmergencyStore::EndBypass(RoomId room, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const auto ticket = AppendEndBypass(room, actor);
  co_return co_await WhenCommitted(ticket);
}

std::optional<Ticket> EmbeddedEmergencyStore::AppendMaintenance(bool on, const Operator& actor) {
  const std::lock_guard lock(mutex_);
  if (table_.maintenance_since().has_value() == on) return {};
  WriteSet rows;
  if (on) {
    rows.Add(kBeginMaintenance).At(actor.at);
    table_.SetMaintenance(actor.at);
  } else {
    rows.Add(kEndMaintenance);
    table_.SetMaintenance({});
  }
  const auto* const action = on ? "maintenance.begin" : "maintenance.end";
  return audit_.Append(rows, {actor.at, actor.name, action, "site", ""});
}

Task<Outcome<bool>> EmbeddedEmergencyStore::SetMaintenance(bool on, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const auto ticket = AppendMaintenance(on, actor);
  co_return co_await WhenCommitted(ticket);
}

// If another request has just begun the stay, its row may not be on disk; the newest ticket covers that row.
Ticket EmbeddedEmergencyStore::AppendStay(Stay& stay) {
  const std::lock_guard lock(mutex_);
  auto& entry = stays_[{stay.room, stay.user}];
  const bool lasts = !entry.ended && stay.entered_at < entry.stay.ends_at;
  if (lasts) {
    stay = entry.stay;
    return journal_.Newest();
  }
  entry = {stay, false};
  table_.AddStay(stay.room, stay.ends_at);
  WriteSet rows;
  rows.Add(kPutStay).Text(stay.room).Text(stay.user).Int(stay.number).At(stay.entered_at).At(stay.ends_at);
  return journal_.Append(rows);
}

Task<Outcome<Stay>> EmbeddedEmergencyStore::LetIn(Stay stay) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const auto ticket = AppendStay(stay);
  const auto committed = co_await journal_.Committed(ticket);
  if (!committed.ok()) co_return committed.error();
  co_return stay;
}

Task<Outcome<std::optional<Stay>>> EmbeddedEmergencyStore::FindStay(RoomId room, UserId user, Time now) {
  std::optional<Stay> found;
  const std::lock_guard lock(mutex_);
  const auto entry = stays_.find({std::move(room), std::move(user)});
  if (entry != stays_.end() && !entry->second.ended && now < entry->second.stay.ends_at)
    found = entry->second.stay;
  co_return found;
}

std::optional<Ticket> EmbeddedEmergencyStore::AppendEndStay(const RoomId& room, const UserId& user,
                                                            const std::optional<StayRevocation>& revocation,
                                                            Time now) {
  const std::lock_guard lock(mutex_);
  const auto entry = stays_.find({room, user});
  if (entry == stays_.end() || entry->second.ended || entry->second.stay.ends_at <= now) return {};
  entry->second.ended = true;
  table_.RemoveStay(room, entry->second.stay.ends_at);
  WriteSet rows;
  rows.Add(kEndOneStay).Text(room).Text(user);
  if (!revocation) return journal_.Append(rows);
  const auto subject = "room " + room;
  const auto& actor = revocation->actor;
  return audit_.Append(rows, {actor.at, actor.name, "room.revoke", subject, revocation->masked_user});
}

Task<Outcome<bool>> EmbeddedEmergencyStore::EndStay(RoomId room, UserId user,
                                                    std::optional<StayRevocation> revocation, Time now) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const auto ticket = AppendEndStay(room, user, revocation, now);
  co_return co_await WhenCommitted(ticket);
}

Task<Outcome<std::vector<Stay>>> EmbeddedEmergencyStore::EndedStays(RoomId room, Time now) {
  std::vector<Stay> ended;
  const std::lock_guard lock(mutex_);
  for (auto at = stays_.lower_bound({room, {}}); at != stays_.end() && at->first.first == room; ++at) {
    if (at->second.ended && now < at->second.stay.ends_at) ended.push_back(at->second.stay);
  }
  co_return ended;
}

Task<Outcome<Done>> EmbeddedEmergencyStore::ForgetRoom(RoomId room) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(stays_, [&](const auto& each) { return each.first.first == room; });
    table_.ForgetRoom(room);
    WriteSet rows;
    rows.Add(kDeleteBypass).Text(room).Add(kDeleteRoomStays).Text(room);
    ticket = journal_.Append(rows);
  }
  co_return co_await journal_.Committed(ticket);
}

Task<Outcome<Done>> EmbeddedEmergencyStore::ForgetUser(UserId user) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(stays_, [&](const auto& each) {
      if (each.first.second != user) return false;
      if (!each.second.ended) table_.RemoveStay(each.first.first, each.second.stay.ends_at);
      return true;
    });
    WriteSet rows;
    rows.Add(kDeleteUserStays).Text(user);
    ticket = journal_.Append(rows);
  }
  co_return co_await journal_.Committed(ticket);
}

void EmbeddedEmergencyStore::Prune(Time now) {
  const std::lock_guard lock(mutex_);
  const auto past = [now](const auto& each) { return each.second.stay.ends_at <= now; };
  const bool stays = std::erase_if(stays_, past) > 0;
  const bool controls = table_.Prune(now);
  if ((!stays && !controls) || !journal_.Accepting()) return;
  WriteSet rows;
  rows.Add(kDeletePastStays).At(now).Add(kDeletePastBypasses).At(now);
  journal_.Append(rows);
}

}  // namespace maejin::embedded
