// Who was let in and whose slot ended, on the way from Redis to the database: answers wait for it, and what nobody waits for is
// fetched from the room's log.
#include <algorithm>
#include <iterator>
#include <tuple>

#include "adapters/redis/waiting_room/room_scripts.h"
#include "adapters/redis/waiting_room/waiting_room_store.h"
#include "base/numbers.h"

namespace maejin::redis {
namespace {

constexpr std::size_t kNotesAtOnce = 500;

// A note in room:42:log: "a" or "e", the time, and of each fan its number and its user, a line each.
std::vector<AdmissionRecord> ParseNote(const RoomId& room, std::string_view note) {
  const auto line = [&] {
    const auto end = std::min(note.find('\n'), note.size());
    const auto found = note.substr(0, end);
    note.remove_prefix(std::min(end + 1, note.size()));
    return found;
  };
  const auto number_of = [](std::string_view digits) {
    return WholeNumber<std::int64_t>(digits).value_or(0);
  };
  const bool ended = line() == "e";
  AdmissionRecord record;
  record.room = room;
  record.entered_at = TimeFromMillis(number_of(line()));
  if (ended) record.ended_at = record.entered_at;
  std::vector<AdmissionRecord> records;
  while (!note.empty()) {
    record.number = static_cast<PlaceNumber>(number_of(line()));
    record.user = line();
    if (record.number != 0 && !record.user.empty()) records.push_back(record);
  }
  return records;
}

}  // namespace

AdmissionRecord WaitingRoomStore::AdmissionOf(const PlaceRef& place, const PlaceAnswer& answer) {
  AdmissionRecord record;
  record.room = place.room;
  record.user = place.user;
  record.number = answer.standing.number;
  record.epoch = answer.epoch;
  record.entered_at = answer.standing.entered_at;
  record.session_ends_at = answer.standing.session_ends_at;
  return record;
}

Task<Outcome<Done>> WaitingRoomStore::RecordAdmission(PlaceRef place, PlaceAnswer answer, Time now) {
  return WriteDown(place.room, std::vector<AdmissionRecord>(1, AdmissionOf(place, answer)), now);
}

// What of the room's log nobody has in hand, as records; while the database does not answer nobody has anything in hand.
Task<Outcome<WaitingRoomStore::Notes>> WaitingRoomStore::NotesOf(RoomId room, Time now) {
  const auto known = Find(room);
  if (!known) co_return Refusal::kUnavailable;
  const bool answers = log_answers_.load(std::memory_order_relaxed);
  auto arguments = RecoveryArguments(*known, now);
  arguments.Arg(kNotesAtOnce).Arg(answers ? 1 : 0);
  auto reply = co_await client_.Eval(RoomScripts::Get().notes, std::move(arguments));
  if (!reply || reply->At(0).AsInteger() != 0) co_return Refusal::kUnavailable;
  Notes notes;
  for (const auto& note : reply->At(1).elements) {
    notes.texts.push_back(note.text);
    for (auto& record : ParseNote(room, note.text)) {
      record.epoch = known->info.epoch;
      record.session_ends_at = record.entered_at + known->info.settings.session_limit;
      notes.records.push_back(std::move(record));
    }
  }
  co_return notes;
}

void WaitingRoomStore::ForgetNotes(const RoomId& room, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  ScriptArguments arguments;
  arguments.Key(KeysOf(room).Log());
  for (const auto& text : texts) arguments.Arg(text);
  client_.SendEval(RoomScripts::Get().logged, std::move(arguments));
}

// "Yours" is said only after the database has it. Whose slot somebody else has by now has ended for the database too: else it
// would come back beside that one after a loss, or count as inside while Redis is away. So what the room's log holds goes first.
Task<Outcome<Done>> WaitingRoomStore::WriteDown(RoomId room, std::vector<AdmissionRecord> records, Time now,
                                                Before before) {
  if (options_.admissions == nullptr) co_return Done{};
  if (before == Before::kNothing) {
    auto recorded = co_await Record(std::move(room), std::move(records));
    co_return recorded;
  }
  for (bool more = true; more;) {
    auto notes = co_await NotesOf(room, now);
    if (!notes.ok()) co_return notes.error();
    more = notes->texts.size() >= kNotesAtOnce;
    auto& all = notes->records;
    if (!more) {
      all.insert(all.end(), std::move_iterator(records.begin()), std::move_iterator(records.end()));
    }
    if (all.empty()) break;
    auto recorded = co_await Record(room, std::move(all));
    if (!recorded.ok()) co_return recorded.error();
    ForgetNotes(room, notes->texts);
  }
  co_return Done{};
}

// A room that another Redis serves by now is asked for there: the next call finds out.
Task<Outcome<Done>> WaitingRoomStore::Record(RoomId room, std::vector<AdmissionRecord> records) {
  auto recorded = co_await options_.admissions->Record(std::move(records));
  if (recorded.ok() || recorded.error() != Refusal::kNotYourTurn) {
    log_answers_ = recorded.ok();
    co_return recorded;
  }
  auto memory = co_await MemoryOf(room);
  const auto known = Find(room);
  if (known && memory.ok() && *memory) known->witness->Saw((*memory)->epoch, 0);
  co_return Refusal::kUnavailable;
}

// So that a fan who left does not come back inside. Where the database refuses, the room's log has it.
Task<void> WaitingRoomStore::RecordEnd(PlaceRef place, PlaceNumber number, Time now) {
  if (options_.admissions == nullptr) co_return;
  AdmissionRecord record;
  record.room = std::move(place.room);
  record.user = std::move(place.user);
  record.number = number;
  record.epoch = place.epoch;
  record.entered_at = record.session_ends_at = now;
  record.ended_at = now;
  std::vector<AdmissionRecord> records;
  records.push_back(std::move(record));
  std::ignore = co_await options_.admissions->Record(std::move(records));
}

// What happened without a fan being told (a push, an expiry), or was not written down when it was told, reaches the
// database from here.
Task<void> WaitingRoomStore::DrainLog(RoomId room, Time now) {
  std::ignore = co_await WriteDown(std::move(room), std::vector<AdmissionRecord>(), now);
}

}  // namespace maejin::redis
