#include "adapters/redis/waiting_room/admission_recorder.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "adapters/redis/waiting_room/room_scripts.h"
#include "base/numbers.h"

namespace maejin::redis {
namespace {

constexpr std::size_t kEntriesAtOnce = 500;

// One entry of room:42:log: "a" (admitted) or "e" (ended), the time, then number and user of each fan, one
// text line each.
std::vector<AdmissionRecord> ParseLogEntry(const RoomId& room, std::string_view log_entry) {
  const auto line = [&] {
    const auto end = std::min(log_entry.find('\n'), log_entry.size());
    const auto found = log_entry.substr(0, end);
    log_entry.remove_prefix(std::min(end + 1, log_entry.size()));
    return found;
  };
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
Task<Outcome<AdmissionRecorder::LogEntries>> AdmissionRecorder::WaitingLogEntries(RoomId name, Time now) {
  const auto* room = rooms_.Find(name);
  const auto record = room ? room->record() : nullptr;
  if (!record) co_return Refusal::kUnavailable;
  auto arguments = runner_.Arguments(name, now);
  arguments.Arg(kEntriesAtOnce).Arg(IsAnswering() ? 1 : 0);
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

void AdmissionRecorder::Remove(const RoomId& room, const std::vector<std::string>& log_entries) {
  if (log_entries.empty()) return;
  ScriptArguments arguments;
  arguments.Key(runner_.KeysOf(room).Log());
  for (const auto& log_entry : log_entries) arguments.Arg(log_entry);
  client_.SendEval(RoomScripts::Get().recorded, std::move(arguments));
}

Task<Outcome<Done>> AdmissionRecorder::Record(RoomId room, Entries entries, Time now) {
  auto& records = entries.records;
  if (log_ == nullptr) records.clear();
  for (bool more = entries.after_log && log_ != nullptr; more;) {
    auto log_entries = co_await WaitingLogEntries(room, now);
    if (!log_entries.ok()) co_return log_entries.error();
    more = log_entries->texts.size() >= kEntriesAtOnce;
    auto& all = log_entries->records;
    if (!more) all.insert(all.end(), std::move_iterator(records.begin()), std::move_iterator(records.end()));
    if (!more) records.clear();
    if (all.empty()) break;
    auto written = co_await Write(room, std::move(all));
    if (!written.ok()) co_return written.error();
    Remove(room, log_entries->texts);
  }
  if (!records.empty()) {
    auto written = co_await Write(room, std::move(records));
    if (!written.ok()) co_return written.error();
  }
  if (!entries.log_entry.empty()) Remove(room, {entries.log_entry});
  co_return Done{};
}

// kFencedEpoch: another Redis serves the room. The next call detects it.
Task<Outcome<Done>> AdmissionRecorder::Write(RoomId name, std::vector<AdmissionRecord> records) {
  auto written = co_await log_->Record(std::move(records));
  if (written.ok() || written.error() != Refusal::kFencedEpoch) {
    is_answering_ = written.ok();
    co_return written;
  }
  const auto memory = co_await log_->Room(name);
  auto* room = rooms_.Find(name);
  if (room && memory.ok() && *memory) room->LearnFromToken(0, (*memory)->epoch);
  co_return Refusal::kUnavailable;
}

Task<void> AdmissionRecorder::RecordEnd(PlaceRef place, PlaceNumber number, Time now) {
  if (log_ == nullptr) co_return;
  std::vector<AdmissionRecord> records(1);
  auto& record = records.front();
  record.room = std::move(place.room);
  record.user = std::move(place.user);
  record.number = number;
  record.epoch = place.epoch;
  record.entered_at = record.session_ends_at = now;
  record.ended_at = now;
  std::ignore = co_await log_->Record(std::move(records));
}

Task<Outcome<AdmissionRecorder::Admissions>> AdmissionRecorder::Find(RoomId room,
                                                                     std::vector<PlaceNumber> numbers) {
  Admissions admissions;
  if (log_ == nullptr) co_return admissions;
  auto records = co_await log_->Admitted(std::move(room), std::move(numbers));
  if (!records.ok()) co_return records.error();
  for (auto& record : *records) admissions.emplace(std::pair(record.user, record.number), std::move(record));
  co_return admissions;
}

}  // namespace maejin::redis
