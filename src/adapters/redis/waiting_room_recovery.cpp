// What survives when Redis loses its memory: rooms and admissions in the database, places in the fans' own tokens.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "adapters/redis/room_scripts.h"
#include "adapters/redis/waiting_room_store.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

// A new number after a loss lies so far beyond what this node had seen that no other node had handed it out.
constexpr PlaceNumber kBeyondLoss = 1'000'000;
// A room is written down again when it has handed out so many more numbers.
constexpr PlaceNumber kNumbersPerNote = 100'000;
constexpr std::size_t kLinesAtOnce = 500;
constexpr std::size_t kReadmittedAtOnce = 500;

// A line of room:42:log: "a 17 1735689600000 minji".
std::optional<AdmissionRecord> ParseLine(const RoomId& room, std::string_view line) {
  const auto word = [&] {
    const auto end = std::min(line.find(' '), line.size());
    const auto found = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return found;
  };
  const auto number_of = [](std::string_view digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  };
  const auto kind = word();
  AdmissionRecord record;
  record.room = room;
  record.number = static_cast<PlaceNumber>(number_of(word()));
  const auto at = TimeFromMillis(number_of(word()));
  record.user = line;
  if (record.user.empty() || record.number == 0) return {};
  record.entered_at = at;
  if (kind == "e") record.ended_at = at;
  return record;
}

// Where a number stands in the order: a pre-queue's by its draw, the others where they came.
std::uint32_t OrderOf(const RoomInfo& info, PlaceNumber number) {
  for (const auto& draw : info.draws) {
    if (!draw.drawn() || number < draw.first || number - draw.first >= draw.count) continue;
    return draw.first - 1 + Shuffle(draw.seed, draw.count).PositionOf(number - draw.first);
  }
  return number - 1;
}

}  // namespace

// Those this node knows to wait.
std::uint32_t WaitingRoomStore::WaitingAtMost(const Known& known) {
  const auto highest = known.witness->highest.load();
  return known.info.serving.waiting +
         (highest > known.info.last_number ? highest - known.info.last_number : 0);
}

// How a room that should be there begins again; absent: nobody knows of it.
Task<std::optional<RoomBeginning>> WaitingRoomStore::RememberedRoom(RoomId room, Time now) {
  RoomBeginning beginning;
  beginning.lost_at = now;
  beginning.hold_until = now + options_.hold_after_loss;
  PlaceNumber highest = 0;
  std::uint32_t epoch = 0;
  const auto known = Find(room);
  if (known) {
    beginning.settings = known->info.settings;
    beginning.state = known->info.serving.state;
    beginning.draws = known->info.draws;
    beginning.waiting = WaitingAtMost(*known);
    highest = known->witness->highest.load();
    epoch = std::max(known->info.epoch, known->witness->epoch());
  } else if (options_.admissions != nullptr) {
    auto rooms = co_await options_.admissions->Rooms();
    if (!rooms.ok()) co_return std::nullopt;
    for (const auto& memory : *rooms) {
      const auto info = memory.room == room ? ParseMemoryText(room, memory.settings) : std::nullopt;
      if (!info) continue;
      beginning.settings = info->settings;
      beginning.state = info->serving.state;
      beginning.draws = info->draws;
      highest = memory.last_number + kNumbersPerNote;
      epoch = memory.epoch;
    }
  }
  if (epoch == 0) co_return std::nullopt;
  beginning.epoch = std::max(EpochOf(now), epoch + 1);
  beginning.last_number = highest + kBeyondLoss;
  co_return beginning;
}

// A failover or a restart with older data: the room is there, and has forgotten what this node has seen.
Task<Outcome<Done>> WaitingRoomStore::Recover(RoomId room, Time now) {
  const auto known = Find(room);
  if (!known) co_return Refusal::kUnavailable;
  const auto& witness = *known->witness;
  auto arguments = KeysOf(room).Arguments("");
  arguments.Arg(ToMillis(now)).Arg(0).Arg(witness.epoch()).Arg(witness.changes());
  arguments.Arg(witness.highest.load());
  arguments.Arg(std::max(EpochOf(now), witness.epoch() + 1)).Arg(ToMillis(now + options_.hold_after_loss));
  arguments.Arg(witness.highest.load() + kBeyondLoss).Arg(WaitingAtMost(*known));
  auto reply = co_await client_.Eval(RoomScripts::Get().epoch, std::move(arguments));
  if (!reply) co_return Refusal::kUnavailable;
  if (reply->At(0).AsInteger() != 1) co_return Done{};
  LogWarning("redis: room {} has lost its newest changes; its fans come back by their tokens", room);
  auto readmitted = co_await ReadmitInside(room, now);
  co_return readmitted;
}

// Who was inside is inside, as far as the database knows.
Task<Outcome<Done>> WaitingRoomStore::ReadmitInside(RoomId room, Time now) {
  if (options_.admissions == nullptr) co_return Done{};
  auto inside = co_await options_.admissions->Inside(room, now);
  if (!inside.ok()) co_return inside.error();
  for (std::size_t at = 0; at < inside->size(); at += kReadmittedAtOnce) {
    auto arguments = KeysOf(room).Arguments("");
    arguments.Arg(ToMillis(now)).Arg(0);
    for (std::size_t i = at; i < std::min(at + kReadmittedAtOnce, inside->size()); ++i) {
      const auto& record = (*inside)[i];
      arguments.Arg(record.user).Arg(record.number).Arg(record.number - 1).Arg(ToMillis(record.entered_at));
    }
    auto reply = co_await client_.Eval(RoomScripts::Get().restore, std::move(arguments));
    if (!reply) co_return Refusal::kUnavailable;
  }
  co_return Done{};
}

// The token is signed, so its number is the fan's: the place is where it was before the loss, inside where the
// database remembers that, and nowhere where it was used.
Task<Outcome<Done>> WaitingRoomStore::Restore(PlaceRef place, Time now) {
  const auto known = Find(place.room);
  if (!known) co_return Refusal::kUnavailable;
  std::int64_t entered_at = 0;
  if (options_.admissions != nullptr) {
    auto record = co_await options_.admissions->Find(place.room, place.user, place.number);
    if (!record.ok()) co_return record.error();
    if (*record && ((*record)->ended_at || (*record)->session_ends_at <= now)) co_return Refusal::kNotQueued;
    if (*record) entered_at = ToMillis((*record)->entered_at);
  }
  ScriptWords words = {place.user, std::to_string(place.number),
                       std::to_string(OrderOf(known->info, place.number)), std::to_string(entered_at)};
  auto reply = co_await Run(&RoomScripts::Get().restore, place.room, place.user, std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  // It came too late, or the fan has another place by now: then the token is no longer its place.
  if (reply->At(1).AsInteger() == 0) co_return Refusal::kNotQueued;
  co_return Done{};
}

// "Yours" is said only after the database has it.
Task<Outcome<Done>> WaitingRoomStore::RecordAdmission(PlaceRef place, PlaceAnswer answer) {
  if (options_.admissions == nullptr) co_return Done{};
  AdmissionRecord record;
  record.room = place.room;
  record.user = place.user;
  record.number = answer.standing.number;
  record.epoch = answer.epoch;
  record.entered_at = answer.standing.entered_at;
  record.session_ends_at = answer.standing.session_ends_at;
  std::vector<AdmissionRecord> records;
  records.push_back(std::move(record));
  auto recorded = co_await options_.admissions->Record(std::move(records));
  log_answers_ = recorded.ok();
  co_return recorded;
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

// Redis does not answer: who is inside stays inside by the database; a waiter is told what it was told last.
Task<Outcome<PlaceAnswer>> WaitingRoomStore::WithoutRedis(PlaceRef place, Time now) {
  const auto known = Find(place.room);
  if (!known || place.number == 0) co_return Refusal::kUnavailable;
  PlaceAnswer answer;
  answer.epoch = place.epoch;
  answer.notice = known->notice;
  answer.state = RoomState::kPaused;
  auto& standing = answer.standing;
  standing.number = place.number;
  standing.poll_after = standing.poll_interval = Millis{5000};
  if (options_.admissions != nullptr) {
    auto record = co_await options_.admissions->Find(place.room, place.user, place.number);
    if (!record.ok()) co_return record.error();
    if (*record && ((*record)->ended_at || (*record)->session_ends_at <= now)) co_return Refusal::kNotQueued;
    if (*record) {
      standing.status = PlaceStatus::kEntered;
      standing.rank = 0;
      standing.entered_at = (*record)->entered_at;
      standing.session_ends_at = (*record)->session_ends_at;
      standing.ends_at = standing.session_ends_at;
      answer.state = known->info.serving.state;
      co_return answer;
    }
  }
  standing.rank = known->witness->told.Last(place.number);
  co_return answer;
}

// What happened without a fan being told (a push, an expiry) reaches the database from here.
Task<void> WaitingRoomStore::DrainLog(RoomId room) {
  const auto known = Find(room);
  if (options_.admissions == nullptr || !known) co_return;
  const auto log = KeysOf(room).Log();
  auto lines = co_await client_.Call(Command("LRANGE").Key(log).Word("0").Word(kLinesAtOnce - 1));
  if (!lines || lines->elements.empty()) co_return;
  std::vector<AdmissionRecord> records;
  for (const auto& line : lines->elements) {
    auto record = ParseLine(room, line.text);
    if (!record) continue;
    record->epoch = known->info.epoch;
    record->session_ends_at = record->entered_at + known->info.settings.session_limit;
    records.push_back(std::move(*record));
  }
  auto recorded = co_await options_.admissions->Record(std::move(records));
  log_answers_ = recorded.ok();
  if (!recorded.ok()) co_return;
  ScriptArguments arguments;
  arguments.Key(log).Arg(lines->elements[0].text).Arg(lines->elements.size());
  std::ignore = co_await client_.Eval(RoomScripts::Get().logged, std::move(arguments));
}

// The room as it would have to come back.
Task<void> WaitingRoomStore::RememberRoom(RoomId room) {
  const auto known = Find(room);
  if (options_.admissions == nullptr || !known) co_return;
  RoomMemory memory{room, known->info.epoch, known->info.last_number / kNumbersPerNote * kNumbersPerNote,
                    MemoryText(known->info)};
  auto& remembered = watches_[room].remembered;
  const auto text =
      std::to_string(memory.epoch) + " " + std::to_string(memory.last_number) + "\n" + memory.settings;
  if (text == remembered) co_return;
  auto written = co_await options_.admissions->RememberRoom(std::move(memory));
  if (written.ok()) remembered = text;
}

}  // namespace maejin::redis
