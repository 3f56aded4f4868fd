#include "adapters/mysql/admission_log.h"

#include <map>
#include <span>

#include "adapters/mysql/event_rows.h"
#include "store/room_events.h"

namespace maejin::mysql {
namespace {

// Rows per statement: a fixed number, so that few statements are prepared.
constexpr std::size_t kRowsAtOnce = 64;

AdmissionRecord AdmissionOf(const Rows& rows) {
  return {RoomId(rows.Text(0)),
          UserId(rows.Text(1)),
          static_cast<PlaceNumber>(rows.Int(2)),
          static_cast<std::uint32_t>(rows.Int(3)),
          rows.At(4),
          rows.At(5),
          rows.OptionalAt(6)};
}

constexpr char kColumns[] =
    "SELECT room, user, number, epoch, entered_at, session_ends_at, ended_at FROM admissions ";

void RecordSome(Connection& connection, std::span<const AdmissionRecord> some) {
  std::string sql =
      "INSERT INTO admissions (room, user, number, epoch, entered_at, session_ends_at, ended_at) VALUES ";
  std::vector<Value> values;
  for (const auto& each : some) {
    sql += values.empty() ? "(?, ?, ?, ?, ?, ?, ?)" : ", (?, ?, ?, ?, ?, ?, ?)";
    values.insert(values.end(), {each.room, each.user, each.number, each.epoch, each.entered_at,
                                 each.session_ends_at, each.ended_at});
  }
  sql += " ON DUPLICATE KEY UPDATE ended_at = COALESCE(admissions.ended_at, VALUES(ended_at))";
  connection.ExecuteValues(sql, values);
}

// The lock of a room's row until the commit. Admissions share it; writers of the room wait for each other and
// for the admissions.
enum class RowLock { kShared, kExclusive };

// True: a later epoch of the room is saved.
bool IsOutdated(Connection& connection, const RoomId& room, std::uint32_t epoch, RowLock lock) {
  auto rows = connection.Query(lock == RowLock::kShared
                                   ? "SELECT epoch FROM shared_rooms WHERE room = ? LOCK IN SHARE MODE"
                                   : "SELECT epoch FROM shared_rooms WHERE room = ? FOR UPDATE",
                               room);
  return rows.Next() && rows.Int(0) > epoch;
}

// For every room the admission with the earliest epoch.
std::map<RoomId, const AdmissionRecord*> EarliestAdmitted(const std::vector<AdmissionRecord>& admissions) {
  std::map<RoomId, const AdmissionRecord*> earliest;
  for (const auto& each : admissions) {
    if (each.ended_at) continue;
    auto& record = earliest[each.room];
    if (record == nullptr || each.epoch < record->epoch) record = &each;
  }
  return earliest;
}

// Two prepared statements: one for a single number, one for many. Unused placeholders repeat the last value.
void AddAdmitted(Connection& connection, const RoomId& room, std::span<const PlaceNumber> numbers,
                 std::vector<AdmissionRecord>& admitted) {
  const auto marks = numbers.size() == 1 ? 1 : kRowsAtOnce;
  std::string where = "WHERE room = ? AND number IN (?";
  std::vector<Value> values = {room, numbers[0]};
  for (std::size_t i = 1; i < marks; ++i) {
    where += ", ?";
    values.emplace_back(numbers[std::min(i, numbers.size() - 1)]);
  }
  where += ")";
  {
    auto rows = connection.QueryValues(kColumns + where, values);
    while (rows.Next()) admitted.push_back(AdmissionOf(rows));
  }
  auto pruned = connection.QueryValues("SELECT number FROM used_places " + where, values);
  while (pruned.Next()) admitted.push_back(PrunedAdmission(room, static_cast<PlaceNumber>(pruned.Int(0))));
}

}  // namespace

Task<Outcome<Done>> MysqlAdmissionLog::Record(std::vector<AdmissionRecord> admissions) {
  return pool_.Write(
      [admissions = std::move(admissions)](Connection& connection, const Attempt&) -> Outcome<Done> {
        for (const auto& [room, earliest] : EarliestAdmitted(admissions)) {
          if (IsOutdated(connection, room, earliest->epoch, RowLock::kShared)) return Refusal::kFencedEpoch;
        }
        std::span<const AdmissionRecord> rest(admissions);
        while (!rest.empty()) {
          const auto count = std::min(rest.size(), kRowsAtOnce);
          RecordSome(connection, rest.first(count));
          rest = rest.subspan(count);
        }
        return Done{};
      });
}

Task<Outcome<std::vector<AdmissionRecord>>> MysqlAdmissionLog::Admitted(RoomId room,
                                                                        std::vector<PlaceNumber> numbers) {
  return pool_.Read([room = std::move(room), numbers = std::move(numbers)](
                        Connection& connection) -> Outcome<std::vector<AdmissionRecord>> {
    std::vector<AdmissionRecord> admitted;
    std::span<const PlaceNumber> rest(numbers);
    while (!rest.empty()) {
      const auto some = rest.first(std::min(rest.size(), kRowsAtOnce));
      AddAdmitted(connection, room, some, admitted);
      rest = rest.subspan(some.size());
    }
    return admitted;
  });
}

Task<Outcome<std::vector<AdmissionRecord>>> MysqlAdmissionLog::Inside(RoomId room, Time now) {
  return pool_.Read(
      [room = std::move(room), now](Connection& connection) -> Outcome<std::vector<AdmissionRecord>> {
        static const auto sql =
            std::string(kColumns) +
            "WHERE room = ? AND ended_at IS NULL AND session_ends_at > ? ORDER BY number, user";
        std::vector<AdmissionRecord> inside;
        auto rows = connection.Query(sql, room, now);
        while (rows.Next()) inside.push_back(AdmissionOf(rows));
        return inside;
      });
}

Task<Outcome<std::vector<AdmissionRecord>>> MysqlAdmissionLog::EndedEarly(RoomId room, Time now) {
  return pool_.Read(
      [room = std::move(room), now](Connection& connection) -> Outcome<std::vector<AdmissionRecord>> {
        static const auto sql =
            std::string(kColumns) + "WHERE room = ? AND ended_at < session_ends_at AND session_ends_at > ?";
        std::vector<AdmissionRecord> ended;
        auto rows = connection.Query(sql, room, now);
        while (rows.Next()) ended.push_back(AdmissionOf(rows));
        return ended;
      });
}

Task<Outcome<PlaceNumber>> MysqlAdmissionLog::LastAdmitted(RoomId room) {
  return pool_.Read([room = std::move(room)](Connection& connection) -> Outcome<PlaceNumber> {
    auto rows = connection.Query(
        "SELECT number FROM admissions WHERE room = ? ORDER BY entered_at DESC, number DESC LIMIT 1", room);
    return rows.Next() ? static_cast<PlaceNumber>(rows.Int(0)) : PlaceNumber{0};
  });
}

Task<Outcome<Done>> MysqlAdmissionLog::Forget(Time before) {
  return pool_.Write([before](Connection& connection, const Attempt&) -> Outcome<Done> {
    connection.Execute(
        "INSERT IGNORE INTO used_places (room, number) "
        "SELECT room, number FROM admissions WHERE session_ends_at < ?",
        before);
    connection.Execute("DELETE FROM admissions WHERE session_ends_at < ?", before);
    return Done{};
  });
}

Task<Outcome<Done>> MysqlAdmissionLog::SaveRoom(SavedRoom room) {
  return pool_.Write([room = std::move(room)](Connection& connection, const Attempt&) -> Outcome<Done> {
    if (IsOutdated(connection, room.room, room.epoch, RowLock::kExclusive)) return Refusal::kFencedEpoch;
    connection.Execute(
        "INSERT INTO shared_rooms (room, epoch, last_number, settings, version) VALUES (?, ?, ?, ?, ?) "
        "ON DUPLICATE KEY UPDATE "
        "settings = IF((VALUES(epoch), VALUES(version)) < (epoch, version), settings, VALUES(settings)), "
        "version = IF((VALUES(epoch), VALUES(version)) < (epoch, version), version, VALUES(version)), "
        "epoch = GREATEST(epoch, VALUES(epoch)), last_number = GREATEST(last_number, VALUES(last_number))",
        room.room, room.epoch, room.last_number, room.settings, room.version);
    return Done{};
  });
}

Task<Outcome<std::optional<SavedRoom>>> MysqlAdmissionLog::Room(RoomId room) {
  return pool_.Read([room = std::move(room)](Connection& connection) -> Outcome<std::optional<SavedRoom>> {
    auto rows = connection.Query(
        "SELECT epoch, last_number, settings, version FROM shared_rooms WHERE room = ?", room);
    if (!rows.Next()) return std::optional<SavedRoom>{};
    return std::optional<SavedRoom>{{room, static_cast<std::uint32_t>(rows.Int(0)),
                                     static_cast<PlaceNumber>(rows.Int(1)), std::string(rows.Text(2)),
                                     rows.Int(3)}};
  });
}

Task<Outcome<Done>> MysqlAdmissionLog::RecordPhase(RoomPhase phase) {
  return pool_.Write([phase = std::move(phase)](Connection& connection, const Attempt&) -> Outcome<Done> {
    if (IsOutdated(connection, phase.room, phase.epoch, RowLock::kExclusive)) return Done{};
    std::optional<LoggedPhase> newest;
    {
      auto rows = connection.Query(
          "SELECT epoch, state FROM room_phases WHERE room = ? ORDER BY epoch DESC, phase DESC LIMIT 1",
          phase.room);
      if (rows.Next()) newest = {static_cast<std::uint32_t>(rows.Int(0)), std::string(rows.Text(1))};
    }
    if (newest && newest->epoch > phase.epoch) return Done{};
    const auto state = Name(phase.state);
    const auto added =
        connection.Execute("INSERT IGNORE INTO room_phases (room, epoch, phase, state) VALUES (?, ?, ?, ?)",
                           phase.room, phase.epoch, phase.count, state);
    if (added == 0) return Done{};
    connection.Execute("DELETE FROM room_phases WHERE room = ? AND epoch < ?", phase.room, phase.epoch);
    if (!IsPhaseEvent(newest, phase)) return Done{};
    std::vector<EventDraft> drafts;
    AppendRoomEvent(drafts, phase.room, phase.state, phase.at);
    if (!drafts.empty()) AddEvents(connection, drafts);
    return Done{};
  });
}

}  // namespace maejin::mysql
