#include "adapters/embedded/admission_log.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/log.h"
#include "store/room_events.h"

namespace maejin::embedded {
namespace {

// Writes the end of an admission. An admission that has an end already keeps it.
constexpr Sql kEnd{
    "INSERT INTO admissions (room, number, user, epoch, entered_at, session_ends_at, ended_at) VALUES (?, ?, "
    "?, ?, ?, ?, ?) ON CONFLICT (room, number, user) DO UPDATE SET ended_at = coalesce(ended_at, "
    "excluded.ended_at)"};
// Entries of one batch share a statement: their common values are bound once, and SQLite inserts them next to
// each other.
constexpr std::size_t kTogether = 16;
// After a batch of this size, the next one is probably near: one commit serves both.
constexpr std::size_t kLargeBatch = 250;
std::string EntriesText(std::size_t fans) {
  std::string text =
      "INSERT INTO admissions (room, epoch, entered_at, session_ends_at, number, user) VALUES ";
  for (std::size_t i = 0; i < fans; ++i) {
    text += fmt::format("{}(?1, ?2, ?3, ?4, ?{}, ?{})", i == 0 ? "" : ", ", 5 + 2 * i, 6 + 2 * i);
  }
  return text + " ON CONFLICT DO NOTHING";
}
const std::string kEntryText = EntriesText(1);
const std::string kEntriesText = EntriesText(kTogether);
const Sql kEntry{kEntryText.c_str()};
const Sql kEntries{kEntriesText.c_str()};
constexpr Sql kUse{
    "INSERT OR IGNORE INTO used_places (room, number) "
    "SELECT room, number FROM admissions WHERE session_ends_at < ?"};
constexpr Sql kForget{"DELETE FROM admissions WHERE session_ends_at < ?"};
constexpr Sql kRemember{
    "INSERT INTO shared_rooms (room, epoch, last_number, settings, version) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (room) DO UPDATE SET "
    "settings = iif((excluded.epoch, excluded.version) < (epoch, version), settings, excluded.settings), "
    "version = iif((excluded.epoch, excluded.version) < (epoch, version), version, excluded.version), "
    "epoch = max(epoch, excluded.epoch), last_number = max(last_number, excluded.last_number)"};

constexpr Sql kPhase{"INSERT INTO room_phases (room, epoch, phase, state) VALUES (?, ?, ?, ?)"};
constexpr Sql kForgetPhases{"DELETE FROM room_phases WHERE room = ? AND epoch < ?"};

constexpr char kColumns[] =
    "SELECT room, user, number, epoch, entered_at, session_ends_at, ended_at FROM admissions ";

AdmissionRecord RecordOf(const Statement& row) {
  AdmissionRecord record{.room = std::string(row.Text(0)),
                         .user = std::string(row.Text(1)),
                         .number = static_cast<PlaceNumber>(row.Int(2)),
                         .epoch = static_cast<std::uint32_t>(row.Int(3)),
                         .entered_at = TimeFromMillis(row.Int(4)),
                         .session_ends_at = TimeFromMillis(row.Int(5))};
  if (!row.IsNull(6)) record.ended_at = TimeFromMillis(row.Int(6));
  return record;
}

using Records = std::span<const AdmissionRecord>;

bool CameTogether(const AdmissionRecord& a, const AdmissionRecord& b) {
  return !b.ended_at && a.entered_at == b.entered_at && a.session_ends_at == b.session_ends_at &&
         a.epoch == b.epoch && a.room == b.room;
}

// The number of records, from the first, that one statement inserts.
std::size_t SharingOne(Records records) {
  const auto& first = records.front();
  if (first.ended_at || records.size() < kTogether) return 1;
  const auto some = records.first(kTogether);
  return std::ranges::all_of(some, [&](const auto& one) { return CameTogether(first, one); }) ? kTogether : 1;
}

void AddEnd(const AdmissionRecord& one, WriteSet& rows) {
  rows.Add(kEnd).Text(one.room).Int(one.number).Text(one.user).Int(one.epoch);
  rows.At(one.entered_at).At(one.session_ends_at).At(*one.ended_at);
}

void AddEntries(Records records, WriteSet& rows) {
  const auto& first = records.front();
  rows.Add(records.size() == kTogether ? kEntries : kEntry).Text(first.room).Int(first.epoch);
  rows.At(first.entered_at).At(first.session_ends_at);
  for (const auto& one : records) rows.Int(one.number).Text(one.user);
}

}  // namespace

Task<Outcome<Done>> EmbeddedAdmissionLog::Committed(Outcome<Ticket> ticket) {
  if (!ticket.ok()) co_return ticket.error();
  auto committed = co_await journal_.Committed(*ticket);
  co_return committed;
}

template <class Read>
auto EmbeddedAdmissionLog::Reading(Read read) -> Outcome<decltype(read(std::declval<Connection&>()))> {
  try {
    const std::lock_guard lock(mutex_);
    return read(reader_);
  } catch (const SqliteError& error) {
    LogError("admissions: cannot read: {}", error.what());
    return Refusal::kUnavailable;
  }
}

Outcome<std::uint32_t*> EmbeddedAdmissionLog::EpochOf(const RoomId& room) {
  const auto known = epochs_.find(room);
  if (known != epochs_.end()) return &known->second;
  const auto read = Reading([&](Connection& connection) {
    auto row = connection.Prepare("SELECT epoch FROM shared_rooms WHERE room = ?");
    row.Bind(1, room);
    return row.Step() ? static_cast<std::uint32_t>(row.Int(0)) : 0U;
  });
  if (!read.ok()) return read.error();
  return &epochs_.emplace(room, *read).first->second;
}

Outcome<Ticket> EmbeddedAdmissionLog::Append(const std::vector<AdmissionRecord>& admissions) {
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const std::lock_guard lock(order_mutex_);
  WriteSet rows;
  for (Records rest(admissions); !rest.empty();) {
    const auto some = rest.first(SharingOne(rest));
    rest = rest.subspan(some.size());
    const auto& first = some.front();
    if (first.ended_at) {
      AddEnd(first, rows);
      continue;
    }
    const auto epoch = EpochOf(first.room);
    if (!epoch.ok()) return epoch.error();
    if (**epoch > first.epoch) return Refusal::kFencedEpoch;
    AddEntries(some, rows);
  }
  // The commit of a large batch may wait for the next batches.
  const bool may_wait = admissions.size() >= kLargeBatch;
  return journal_.Append(rows, {}, may_wait ? Journal::WriteTiming::kBatched : Journal::WriteTiming::kAtOnce);
}

Task<Outcome<Done>> EmbeddedAdmissionLog::Record(std::vector<AdmissionRecord> admissions) {
  return Committed(Append(admissions));
}

Task<Outcome<std::vector<AdmissionRecord>>> EmbeddedAdmissionLog::Admitted(RoomId room,
                                                                           std::vector<PlaceNumber> numbers) {
  co_return Reading([&](Connection& connection) {
    auto rows = connection.Prepare(std::string(kColumns) + "WHERE room = ? AND number = ?");
    auto pruned = connection.Prepare("SELECT 1 FROM used_places WHERE room = ? AND number = ?");
    rows.Bind(1, room);
    pruned.Bind(1, room);
    std::vector<AdmissionRecord> admitted;
    for (const auto number : numbers) {
      rows.Bind(2, number);
      pruned.Bind(2, number);
      while (rows.Step()) admitted.push_back(RecordOf(rows));
      if (pruned.Step()) admitted.push_back(PrunedAdmission(room, number));
      rows.Reset();
      pruned.Reset();
    }
    return admitted;
  });
}

Task<Outcome<std::vector<AdmissionRecord>>> EmbeddedAdmissionLog::Inside(RoomId room, Time now) {
  co_return Reading([&](Connection& connection) {
    auto rows = connection.Prepare(std::string(kColumns) +
                                   "WHERE room = ? AND ended_at IS NULL AND session_ends_at > ? "
                                   "ORDER BY number");
    rows.Bind(1, room).Bind(2, ToMillis(now));
    std::vector<AdmissionRecord> inside;
    while (rows.Step()) inside.push_back(RecordOf(rows));
    return inside;
  });
}

Task<Outcome<std::vector<AdmissionRecord>>> EmbeddedAdmissionLog::EndedEarly(RoomId room, Time now) {
  co_return Reading([&](Connection& connection) {
    auto rows = connection.Prepare(std::string(kColumns) +
                                   "WHERE room = ? AND ended_at < session_ends_at AND session_ends_at > ?");
    rows.Bind(1, room).Bind(2, ToMillis(now));
    std::vector<AdmissionRecord> ended;
    while (rows.Step()) ended.push_back(RecordOf(rows));
    return ended;
  });
}

Task<Outcome<PlaceNumber>> EmbeddedAdmissionLog::LastAdmitted(RoomId room) {
  co_return Reading([&](Connection& connection) {
    auto row = connection.Prepare(
        "SELECT number FROM admissions WHERE room = ? ORDER BY entered_at DESC, number DESC LIMIT 1");
    row.Bind(1, room);
    return row.Step() ? static_cast<PlaceNumber>(row.Int(0)) : PlaceNumber{0};
  });
}

Task<Outcome<Done>> EmbeddedAdmissionLog::Forget(Time before) {
  if (!journal_.Accepting()) return Committed(Refusal::kUnavailable);
  WriteSet rows;
  rows.Add(kUse).At(before);
  rows.Add(kForget).At(before);
  return Committed(journal_.Append(rows));
}

Outcome<Ticket> EmbeddedAdmissionLog::AppendRoom(const SavedRoom& room) {
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const std::lock_guard lock(order_mutex_);
  const auto epoch = EpochOf(room.room);
  if (!epoch.ok()) return epoch.error();
  if (**epoch > room.epoch) return Refusal::kFencedEpoch;
  **epoch = room.epoch;
  WriteSet rows;
  rows.Add(kRemember)
      .Text(room.room)
      .Int(room.epoch)
      .Int(room.last_number)
      .Text(room.settings)
      .Int(room.version);
  return journal_.Append(rows);
}

Task<Outcome<Done>> EmbeddedAdmissionLog::SaveRoom(SavedRoom room) { return Committed(AppendRoom(room)); }

Task<Outcome<std::optional<SavedRoom>>> EmbeddedAdmissionLog::Room(RoomId room) {
  co_return Reading([&](Connection& connection) {
    auto row =
        connection.Prepare("SELECT epoch, last_number, settings, version FROM shared_rooms WHERE room = ?");
    row.Bind(1, room);
    std::optional<SavedRoom> found;
    if (row.Step()) {
      found = SavedRoom{room, static_cast<std::uint32_t>(row.Int(0)), static_cast<PlaceNumber>(row.Int(1)),
                        std::string(row.Text(2)), row.Int(3)};
    }
    return found;
  });
}

Outcome<EmbeddedAdmissionLog::Phases*> EmbeddedAdmissionLog::PhasesOf(const RoomId& room) {
  const auto known = phases_.find(room);
  if (known != phases_.end()) return &known->second;
  auto read = Reading([&](Connection& connection) {
    auto row = connection.Prepare(
        "SELECT epoch, phase, state FROM room_phases WHERE room = ? ORDER BY epoch, phase");
    row.Bind(1, room);
    Phases phases;
    while (row.Step()) {
      const auto epoch = static_cast<std::uint32_t>(row.Int(0));
      if (!phases.newest || phases.newest->epoch != epoch) phases.counts.clear();
      phases.newest = {epoch, std::string(row.Text(2))};
      phases.counts.insert(row.Int(1));
    }
    return phases;
  });
  if (!read.ok()) return read.error();
  return &phases_.emplace(room, std::move(*read)).first->second;
}

Outcome<Ticket> EmbeddedAdmissionLog::AppendPhase(const RoomPhase& phase) {
  if (!journal_.Accepting()) return Refusal::kUnavailable;
  const std::lock_guard lock(order_mutex_);
  const auto epoch = EpochOf(phase.room);
  if (!epoch.ok()) return epoch.error();
  const auto found = PhasesOf(phase.room);
  if (!found.ok()) return found.error();
  auto& [newest, counts] = **found;
  const bool old = **epoch > phase.epoch || (newest && newest->epoch > phase.epoch);
  const bool same_epoch = newest && newest->epoch == phase.epoch;
  if (old || (same_epoch && counts.contains(phase.count))) return Ticket{0};
  WriteSet rows;
  rows.Add(kPhase).Text(phase.room).Int(phase.epoch).Int(phase.count).Text(Name(phase.state));
  std::vector<EventDraft> drafts;
  if (IsPhaseEvent(newest, phase)) AppendRoomEvent(drafts, phase.room, phase.state, phase.at);
  if (!same_epoch) {
    rows.Add(kForgetPhases).Text(phase.room).Int(phase.epoch);
    counts.clear();
  }
  newest = {phase.epoch, std::string(Name(phase.state))};
  counts.insert(phase.count);
  return journal_.Append(rows, {}, drafts);
}

Task<Outcome<Done>> EmbeddedAdmissionLog::RecordPhase(RoomPhase phase) {
  return Committed(AppendPhase(phase));
}

}  // namespace maejin::embedded
