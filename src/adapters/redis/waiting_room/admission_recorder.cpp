#include "adapters/redis/waiting_room/admission_recorder.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "adapters/redis/waiting_room/room_scripts.h"
#include "base/numbers.h"
#include "base/take_until.h"

namespace maejin::redis {
namespace {

constexpr std::size_t kEntriesAtOnce = 500;

// One entry of room:42:log: "a" (admitted) or "e" (ended), the time, then number and user of each fan, one
// text line each.
std::vector<AdmissionRecord> ParseLogEntry(const RoomId& room, std::string_view log_entry) {
  const auto line = [&] { return TakeUntil(log_entry, '\n'); };
  const auto number_of = [](std::string_view digits) { return ParseInt<std::int64_t>(digits).value_or(0); };
  const bool ended = line() == "e";
  AdmissionRecord record;
  record.room = room;
  record.entered_at = TimeFromMillis(number_of(line()));
  if (ended) record.ended_at = record.entered_at;
  std::vector<AdmissionRecord> records;
  while (!log_entry.empty()) {
    record.number = static_cast<PlaceNumber>(number_of(line()));
    record.user = line();
    if (record.number != 0 && !record.user.empty()) records.push_back(record);
  }
  return records;
}

}  // namespace

// While the database does not answer, all admissions stay in the log, including admissions that this node has
// answered.
Task<Outcome<AdmissionRecorder::LogEntries>> AdmissionRecorder::WaitingLogEntries(RoomId name,
                                                                                  bool with_newest,
                                                                                  Time now) {
  const auto* room = rooms_.Find(name);
  const auto record = room ? room->record() : nullptr;
  if (!record) co_return Refusal::kUnavailable;
  auto arguments = runner_.Arguments(name, now);
  arguments.Arg(kEntriesAtOnce).Arg(IsAnswering() && !with_newest ? 1 : 0);
  auto reply = co_await client_.Eval(RoomScripts::Get().notes, std::move(arguments));
  auto texts = reply ? DecodeLogEntries(*reply) : std::nullopt;
  if (!texts) co_return Refusal::kUnavailable;
  LogEntries log_entries;
  for (const auto& text : *texts) {
    for (auto& each : ParseLogEntry(name, text)) {
      each.epoch = record->info.epoch;
      each.session_ends_at = each.entered_at + record->info.settings.session_limit;
      log_entries.records.push_back(std::move(each));
    }
  }
  log_entries.texts = std::move(*texts);
  co_return log_entries;
}

Task<Outcome<Done>> AdmissionRecorder::Record(RoomId room, Entries entries, Time now) {
  for (bool more = true; more;) {
    Outcome<LogEntries> batch = LogEntries();
    if (entries.after_log) batch = co_await WaitingLogEntries(room, entries.with_newest, now);
    if (!batch.ok()) co_return batch.error();
    auto& [records, texts] = *batch;
    more = texts.size() >= kEntriesAtOnce;
    if (!more) {
      std::ranges::move(entries.records, std::back_inserter(records));
      if (!entries.log_entry.empty()) texts.push_back(std::move(entries.log_entry));
    }
    if (records.empty()) break;
    auto written = co_await Write(room, std::move(records));
    if (!written.ok()) co_return written.error();
    // Another node may have removed these log entries already.
    for (const auto& text : texts)
      client_.Send(Command("LREM").Key(runner_.KeysOf(room).Log()).Word(1).Word(text));
  }
  co_return Done{};
}

Task<void> AdmissionRecorder::LearnSavedEpoch(RoomId name) {
  const auto saved = co_await log_.Room(name);
  auto* room = rooms_.Find(name);
  if (!room || !saved.ok() || !*saved) co_return;
  // A node that knew the epoch of a deleted room's fence would create the room again.
  if ((*saved)->settings != kDeletedRoomText) room->LearnFromToken(0, (*saved)->epoch);
}

Task<Outcome<Done>> AdmissionRecorder::Write(RoomId name, std::vector<AdmissionRecord> records) {
  auto written = co_await log_.Record(std::move(records));
  if (written.ok() || written.error() != Refusal::kFencedEpoch) {
    is_answering_ = written.ok();
    co_return written;
  }
  co_await LearnSavedEpoch(std::move(name));
  co_return Refusal::kUnavailable;
}

Task<void> AdmissionRecorder::Forget(Time before) {
  const auto forgotten = co_await log_.Forget(before);
  if (forgotten.ok()) is_answering_ = true;
}

Task<void> AdmissionRecorder::RecordEnd(PlaceRef place, PlaceNumber number, Time now) {
  AdmissionRecord ended{std::move(place.room), std::move(place.user), number, place.epoch, now, now, now};
  std::vector<AdmissionRecord> records(1, std::move(ended));
  std::ignore = co_await log_.Record(std::move(records));
}

Task<Outcome<AdmissionRecorder::Admissions>> AdmissionRecorder::Find(RoomId room,
                                                                     std::vector<PlaceNumber> numbers) {
  auto records = co_await log_.Admitted(std::move(room), std::move(numbers));
  if (!records.ok()) co_return records.error();
  Admissions admissions;
  for (auto& record : *records) admissions.emplace(std::pair(record.user, record.number), std::move(record));
  co_return admissions;
}

const AdmissionRecord* AdmissionRecorder::AdmissionOf(const Admissions& admissions, const UserId& user,
                                                      PlaceNumber number) {
  auto found = admissions.find({user, number});
  if (found == admissions.end()) found = admissions.find({UserId(), number});  // pruned
  return found == admissions.end() ? nullptr : &found->second;
}

}  // namespace maejin::redis
