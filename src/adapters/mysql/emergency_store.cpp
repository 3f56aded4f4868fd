#include "adapters/mysql/emergency_store.h"

#include <algorithm>

#include "adapters/mysql/audit_log.h"
#include "base/run_task.h"

namespace maejin::mysql {
namespace {

// A stay in memory is used for this long without a query. So this node sees the end of a stay on another node
// at most this much later.
constexpr Millis kFresh{1000};
constexpr std::size_t kMostKnown = 100'000;

constexpr char kStayColumns[] = "SELECT room, user, number, entered_at, ends_at FROM bypass_stays ";

Stay StayOf(const Rows& rows) {
  return {RoomId(rows.Text(0)), UserId(rows.Text(1)), static_cast<PlaceNumber>(rows.Int(2)), rows.At(3),
          rows.At(4)};
}

// Begins a stay; a stay that has not ended is kept. One statement without a gap lock: two nodes begin one
// stay for a fan, and many concurrent fans cause no deadlock. The server runs the assignments in this order,
// so each condition reads the old `ended` and `ends_at`.
constexpr char kBegin[] =
    "INSERT INTO bypass_stays (room, user, number, entered_at, ends_at) VALUES (?, ?, ?, ?, ?) ON DUPLICATE "
    "KEY UPDATE number = IF(ended = 0 AND ends_at > VALUES(entered_at), number, VALUES(number)), "
    "entered_at = IF(ended = 0 AND ends_at > VALUES(entered_at), entered_at, VALUES(entered_at)), "
    "ends_at = IF(ended = 0 AND ends_at > VALUES(entered_at), ends_at, VALUES(ends_at)), ended = 0";

Stay ReadStay(Connection& connection, const Stay& stay) {
  static const auto sql = std::string(kStayColumns) + "WHERE room = ? AND user = ?";
  auto rows = connection.Query(sql, stay.room, stay.user);
  return rows.Next() ? StayOf(rows) : stay;
}

}  // namespace

void MysqlEmergencyStore::Refresh(Connection& connection, Time now) {
  const auto version = table_.version();
  EmergencyTable::Controls controls;
  {
    auto rows =
        connection.Query("SELECT room, ends_at, session_seconds FROM bypasses WHERE ends_at > ?", now);
    while (rows.Next()) {
      Bypass bypass{RoomId(rows.Text(0)), rows.At(1), Seconds{rows.Int(2)}};
      controls.bypasses.emplace(bypass.room, bypass);
    }
  }
  {
    auto rows = connection.Query(
        "SELECT room, CAST(SUM(ended = 0) AS SIGNED), MAX(ends_at) FROM bypass_stays WHERE ends_at > ? GROUP "
        "BY room",
        now);
    while (rows.Next()) {
      controls.stay_ends[RoomId(rows.Text(0))].assign(static_cast<std::size_t>(rows.Int(1)), rows.At(2));
      controls.stays_until = std::max(controls.stays_until, rows.At(2));
    }
  }
  auto rows = connection.Query("SELECT since FROM maintenance");
  if (rows.Next()) controls.maintenance_since = rows.At(0);
  table_.Replace(std::move(controls), version);
}

Task<Outcome<Done>> MysqlEmergencyStore::StartBypass(Bypass bypass, Operator actor) {
  auto start = [bypass, actor = std::move(actor)](Connection& connection,
                                                  const Attempt& attempt) -> Outcome<Done> {
    if (attempt.commit_unknown) {
      auto before = connection.Query("SELECT 1 FROM bypasses WHERE room = ? AND ends_at = ? FOR UPDATE",
                                     bypass.room, bypass.ends_at);
      if (before.Next()) return Done{};
    }
    connection.Execute(
        "INSERT INTO bypasses (room, ends_at, session_seconds) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE "
        "ends_at = VALUES(ends_at), session_seconds = VALUES(session_seconds)",
        bypass.room, bypass.ends_at, bypass.session_limit.count());
    const auto subject = "room " + bypass.room;
    const auto detail = Describe(bypass, actor.at);
    AppendAudit(connection, {actor.at, actor.name, "room.bypass", subject, detail});
    return Done{};
  };
  const auto started = co_await pool_.Write(std::move(start));
  if (started) table_.PutBypass(std::move(bypass));
  co_return started;
}

Task<Outcome<bool>> MysqlEmergencyStore::EndBypass(RoomId room, Operator actor) {
  const auto now = actor.at;
  auto end = [room, actor = std::move(actor)](Connection& connection,
                                              const Attempt& attempt) -> Outcome<bool> {
    const auto removed =
        connection.Execute("DELETE FROM bypasses WHERE room = ? AND ends_at > ?", room, actor.at);
    if (removed == 0) return attempt.commit_unknown;
    const auto subject = "room " + room;
    AppendAudit(connection, {actor.at, actor.name, "room.bypass-end", subject, ""});
    return true;
  };
  const auto ended = co_await pool_.Write(std::move(end));
  if (ended) table_.EraseBypass(room, now);
  co_return ended;
}

Task<Outcome<bool>> MysqlEmergencyStore::SetMaintenance(bool on, Operator actor) {
  const auto now = actor.at;
  auto set = [on, actor = std::move(actor)](Connection& connection, const Attempt& attempt) -> Outcome<bool> {
    const auto changed =
        on ? connection.Execute("INSERT IGNORE INTO maintenance (id, since) VALUES (1, ?)", actor.at)
           : connection.Execute("DELETE FROM maintenance");
    if (changed == 0) return attempt.commit_unknown;
    const auto* const action = on ? "maintenance.begin" : "maintenance.end";
    AppendAudit(connection, {actor.at, actor.name, action, "site", ""});
    return true;
  };
  const auto changed = co_await pool_.Write(std::move(set));
  if (changed && on && !table_.maintenance_since()) table_.SetMaintenance(now);
  if (changed && !on) table_.SetMaintenance({});
  co_return changed;
}

Task<Outcome<Stay>> MysqlEmergencyStore::LetIn(Stay stay) {
  const auto now = stay.entered_at;
  auto begin = [stay](Connection& connection, const Attempt&) -> Outcome<Stay> {
    connection.Execute(kBegin, stay.room, stay.user, stay.number, stay.entered_at, stay.ends_at);
    return ReadStay(connection, stay);
  };
  auto begun = co_await pool_.Write(std::move(begin));
  if (!begun) co_return begun.error();
  if (begun->entered_at == now) table_.AddStay(begun->room, begun->ends_at);
  Learn({begun->room, begun->user}, *begun, now);
  co_return std::move(*begun);
}

std::optional<MysqlEmergencyStore::Known> MysqlEmergencyStore::FindKnown(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end()) return {};
  return found->second;
}

void MysqlEmergencyStore::Learn(const Key& key, std::optional<Stay> stay, Time now) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_[key] = {std::move(stay), now};
}

Task<Outcome<std::optional<Stay>>> MysqlEmergencyStore::FindStay(RoomId room, UserId user, Time now) {
  const Key key(std::move(room), std::move(user));
  auto known = FindKnown(key);
  if (known && known->stay && known->stay->ends_at <= now) known->stay.reset();
  if (known && now < known->read_at + kFresh) co_return std::move(known->stay);
  auto find = [key, now](Connection& connection) -> Outcome<std::optional<Stay>> {
    static const auto sql =
        std::string(kStayColumns) + "WHERE room = ? AND user = ? AND ended = 0 AND ends_at > ?";
    std::optional<Stay> stay;
    auto rows = connection.Query(sql, key.first, key.second, now);
    if (rows.Next()) stay = StayOf(rows);
    return stay;
  };
  auto found = co_await pool_.Read(std::move(find));
  // During an outage the last known state is valid.
  if (!found && known) co_return std::move(known->stay);
  if (found) Learn(key, *found, now);
  co_return found;
}

Task<Outcome<bool>> MysqlEmergencyStore::EndStay(RoomId room, UserId user,
                                                 std::optional<StayRevocation> revocation, Time now) {
  auto end = [room, user, revocation = std::move(revocation), now](Connection& connection,
                                                                   const Attempt& attempt) -> Outcome<bool> {
    const auto ended = connection.Execute(
        "UPDATE bypass_stays SET ended = 1 WHERE room = ? AND user = ? AND ended = 0 AND ends_at > ?", room,
        user, now);
    if (ended == 0) return attempt.commit_unknown;
    if (!revocation) return true;
    const auto subject = "room " + room;
    const auto& actor = revocation->actor;
    AppendAudit(connection, {actor.at, actor.name, "room.revoke", subject, revocation->masked_user});
    return true;
  };
  const auto ended = co_await pool_.Write(std::move(end));
  if (ended && *ended) {
    table_.RemoveStay(room, now);
    Learn({room, user}, {}, now);
  }
  co_return ended;
}

Task<Outcome<std::vector<Stay>>> MysqlEmergencyStore::EndedStays(RoomId room, Time now) {
  auto find = [room = std::move(room), now](Connection& connection) -> Outcome<std::vector<Stay>> {
    static const auto sql = std::string(kStayColumns) + "WHERE room = ? AND ended = 1 AND ends_at > ?";
    std::vector<Stay> ended;
    auto rows = connection.Query(sql, room, now);
    while (rows.Next()) ended.push_back(StayOf(rows));
    return ended;
  };
  return pool_.Read(std::move(find));
}

Task<Outcome<Done>> MysqlEmergencyStore::ForgetRoom(RoomId room) {
  auto forget = [room](Connection& connection, const Attempt&) -> Outcome<Done> {
    connection.Execute("DELETE FROM bypasses WHERE room = ?", room);
    connection.Execute("DELETE FROM bypass_stays WHERE room = ?", room);
    return Done{};
  };
  const auto forgotten = co_await pool_.Write(std::move(forget));
  if (forgotten) {
    table_.ForgetRoom(room);
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [&](const auto& each) { return each.first.first == room; });
  }
  co_return forgotten;
}

Task<Outcome<Done>> MysqlEmergencyStore::ForgetUser(UserId user) {
  auto forget = [user](Connection& connection, const Attempt&) -> Outcome<Done> {
    connection.Execute("DELETE FROM bypass_stays WHERE user = ?", user);
    return Done{};
  };
  const auto forgotten = co_await pool_.Write(std::move(forget));
  if (forgotten) {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [&](const auto& each) { return each.first.second == user; });
  }
  co_return forgotten;
}

void MysqlEmergencyStore::Prune(Time now) {
  // During an outage the last known stays are valid.
  if (!pool_.Connected()) return;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [now](const auto& each) { return each.second.read_at + kFresh <= now; });
  }
  (void)RunTask(pool_.Write([now](Connection& connection, const Attempt&) -> Outcome<Done> {
    connection.Execute("DELETE FROM bypass_stays WHERE ends_at <= ?", now);
    connection.Execute("DELETE FROM bypasses WHERE ends_at <= ?", now);
    return Done{};
  }));
}

}  // namespace maejin::mysql
