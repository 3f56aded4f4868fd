#include "adapters/redis/waiting_room/recovery.h"

#include <algorithm>
#include <limits>

#include "adapters/redis/waiting_room/room_scripts.h"
#include "base/log.h"
#include "base/numbers.h"
#include "base/take_until.h"

namespace maejin::redis {
namespace {

// The room is saved again after this many new numbers.
constexpr PlaceNumber kNumbersPerSave = 100'000;
constexpr std::size_t kWordsAtOnce = 4 * 500;  // words per script for fans that are restored inside
// How long a node that reaches a replaced Redis waits for the successor: sentinels need about ten seconds to
// demote a Redis.
constexpr Millis kPatience{15'000};
// A hash of deleted rooms, with the epoch and the last number of each.
constexpr char kDeletedRoomsKey[] = "rooms:deleted";

// Absent: the room was deleted.
std::optional<RoomRecord> RecordOf(const SavedRoom& saved) {
  auto record = ParseSavedText(saved.room, saved.settings);
  if (!record) return {};
  record->info.epoch = saved.epoch;
  record->info.last_number = saved.last_number + kNumbersPerSave;
  return record;
}

void AddPlaceWords(ScriptWords& words, const UserId& user, std::initializer_list<std::int64_t> numbers) {
  words.push_back(user);
  for (const auto number : numbers) words.push_back(std::to_string(number));
}

PlaceNumber RoundedDown(PlaceNumber number) { return number / kNumbersPerSave * kNumbersPerSave; }

}  // namespace

Task<Outcome<bool>> Recovery::Write(RoomRecord record, Time now) {
  const auto room = record.info.room;
  auto arguments = runner_.Arguments(room, now);
  arguments.Arg(record.server).Arg(record.info.epoch).Arg(record.info.last_number);
  for (const auto& word : RecordWords(record, record.info.draws)) arguments.Arg(word);
  auto created = co_await client_.Eval(RoomScripts::Get().create, std::move(arguments));
  if (!created) co_return Refusal::kUnavailable;
  auto listed = co_await client_.Call(Command("SADD").Key(kRoomsKey).Word(room));
  if (!listed) co_return Refusal::kUnavailable;
  co_return created->AsInteger() == 1;
}

// Recover() gives a room that was lost the newest settings and numbers of this node and the database.
Task<Outcome<bool>> Recovery::Create(RoomId room, Time now, std::optional<NewRoom> fresh) {
  auto past = co_await PastOf(room);
  if (!past.ok()) co_return past.error();
  const auto* here = rooms_.Find(room);
  if (past->deleted > std::max(past->saved, here ? here->known().epoch : 0)) {
    rooms_.Retire(room);
    if (!fresh) co_return Refused{Refusal::kRoomNotFound, room};
    here = nullptr;
    past->record.reset();
  }
  auto record = std::move(past->record);
  const auto known = here ? here->record() : nullptr;
  if (known && (!record || !IsOlder(*known, *record))) record = *known;
  if (record) {
    record->server = RoomRecord::kNoServer;
  } else {
    if (!fresh && room != kMainRoom) co_return Refused{Refusal::kRoomNotFound, room};
    if (!fresh) fresh = NewRoom{DefaultSettings(room)};
    record.emplace();
    record->info.room = room;
    record->info.settings = std::move(fresh->settings);
    record->info.serving.state = fresh->state;
    record->info.epoch = std::max(EpochOf(now), past->deleted + 1);
    if (IsOwnRoom(room)) record->first_epoch = record->info.epoch;
    record->info.last_number = past->last_number;
  }
  auto created = co_await Write(std::move(*record), now);
  co_return created;
}

Task<Outcome<Done>> Recovery::FenceDeleted(RoomId room, std::uint32_t epoch, PlaceNumber last_number,
                                           Time now) {
  const auto saved = co_await SaveDeleted(room, epoch, last_number);
  if (!saved.ok()) co_return saved.error();
  // Otherwise a later room of this name would restore these fans from the database.
  auto inside = co_await log_.Inside(std::move(room), now);
  if (!inside.ok()) co_return inside.error();
  if (inside->empty()) co_return Done{};
  for (auto& record : *inside) record.ended_at = now;
  auto ended = co_await log_.Record(std::move(*inside));
  co_return ended;
}

Task<Outcome<Done>> Recovery::SaveDeleted(RoomId room, std::uint32_t epoch, PlaceNumber last_number) {
  const auto mark = std::to_string(epoch) + " " + std::to_string(last_number);
  auto marked = co_await client_.Call(Command("HSET").Key(kDeletedRoomsKey).Word(room).Word(mark));
  if (!marked) co_return Refusal::kUnavailable;
  // The mark stays, whichever settings another node saves in this epoch.
  constexpr auto kNewest = std::numeric_limits<std::int64_t>::max();
  SavedRoom fence{std::move(room), epoch + 1, last_number, kDeletedRoomText, kNewest};
  auto saved = co_await Save(std::move(fence));
  co_return saved;
}

// Fans may have joined at other nodes since the room was fenced.
Task<Outcome<Done>> Recovery::RemoveFenced(RoomId room, std::uint32_t epoch, PlaceNumber last_number,
                                           Time now) {
  const auto last = co_await Remove(room, epoch, now);
  if (!last.ok()) co_return last.error();
  if (*last > static_cast<std::int64_t>(last_number))
    std::ignore = co_await SaveDeleted(room, epoch, static_cast<PlaceNumber>(*last));
  auto unlisted = co_await client_.Call(Command("SREM").Key(kRoomsKey).Word(room));
  if (!unlisted) co_return Refusal::kUnavailable;
  rooms_.Retire(room);
  co_return Done{};
}

// Refuses: kUnavailable, also if the room has another epoch.
Task<Outcome<std::int64_t>> Recovery::Remove(RoomId room, std::uint32_t epoch, Time now) {
  auto arguments = runner_.Arguments(room, now);
  arguments.Arg(epoch);
  const auto removed = co_await client_.Eval(RoomScripts::Get().remove, std::move(arguments));
  if (!removed || removed->AsInteger() < 0) co_return Refusal::kUnavailable;
  co_return removed->AsInteger();
}

// True: Redis had a room that was deleted since, and has it no more. The next attempt of the caller creates
// the room of this name that is not deleted, if there is one.
Task<Outcome<bool>> Recovery::RemoveDeleted(RoomId name, std::uint32_t epoch, Time now) {
  const auto saved = co_await log_.Room(name);
  if (!saved.ok()) co_return saved.error();
  const auto* room = rooms_.Find(name);
  const auto known = room ? room->record() : nullptr;
  auto first_epoch = known ? known->first_epoch : 0;
  const bool is_deleted = *saved && (*saved)->settings == kDeletedRoomText;
  if (is_deleted) first_epoch = std::max(first_epoch, (*saved)->epoch);
  if (const auto newest = *saved ? RecordOf(**saved) : std::nullopt)
    first_epoch = std::max(first_epoch, newest->first_epoch);
  if (epoch >= first_epoch) co_return false;
  const auto removed = co_await Remove(name, epoch, now);
  if (!removed.ok()) co_return removed.error();
  if (is_deleted) std::ignore = co_await client_.Call(Command("SREM").Key(kRoomsKey).Word(name));
  LogWarning("redis: removed room {}, which was deleted before Redis lost its newest changes", name);
  co_return true;
}

Task<Outcome<Done>> Recovery::Save(SavedRoom room) {
  auto name = room.room;
  auto saved = co_await log_.SaveRoom(std::move(room));
  if (saved.ok() || saved.error() != Refusal::kFencedEpoch) co_return saved;
  co_await recorder_.LearnSavedEpoch(std::move(name));
  co_return Refusal::kUnavailable;
}

Task<Outcome<Recovery::Past>> Recovery::PastOf(RoomId room) {
  const auto mark = co_await client_.Call(Command("HGET").Key(kDeletedRoomsKey).Word(room));
  if (!mark) co_return Refusal::kUnavailable;
  const auto saved = co_await log_.Room(std::move(room));
  if (!saved.ok()) co_return saved.error();
  std::string_view text = mark->text;
  Past past;
  if (const auto epoch = ParseInt<std::uint32_t>(TakeUntil(text, ' '))) past.deleted = *epoch + 1;
  past.last_number = ParseInt<PlaceNumber>(text).value_or(0);
  if (!*saved) co_return past;
  past.last_number = std::max(past.last_number, (*saved)->last_number);
  past.record = RecordOf(**saved);
  auto& epoch = past.record ? past.saved : past.deleted;
  epoch = std::max(epoch, (*saved)->epoch);
  co_return past;
}

Task<Outcome<Done>> Recovery::Recover(RoomId name, Time now) {
  auto& room = rooms_.Add(name);
  const auto release = [](std::atomic<bool>* taken) { *taken = false; };
  const std::unique_ptr<std::atomic<bool>, decltype(release)> lock(
      room.recovering.exchange(true) ? nullptr : &room.recovering, release);
  if (!lock) co_return Refusal::kUnavailable;
  auto question = runner_.Arguments(name, now);
  auto reply = co_await client_.Eval(RoomScripts::Get().epoch, std::move(question));
  if (!reply) co_return Refusal::kUnavailable;
  auto loss = DecodeLoss(std::move(name), *reply);
  if (!loss) co_return Done{};
  const auto removed = co_await RemoveDeleted(room.name(), loss->record.info.epoch, now);
  if (!removed.ok()) co_return removed.error();
  if (*removed) co_return Done{};
  room.LoadUnrecovered(loss->record);
  auto restarted = co_await Restart(&room, std::move(*loss), now);
  co_return restarted;
}

// Afterwards a replaced Redis, and the nodes that still use it, admit no fan: the database refuses the
// records.
Task<Outcome<Recovery::Continuation>> Recovery::Fence(Room* room, Loss loss, Time now) {
  const auto info = room->info();
  const auto known = room->known();
  Continuation next{std::max({known.epoch, loss.record.info.epoch, info.epoch}), known.highest,
                    info.serving.serving, loss.record};
  auto& newest = next.newest;
  if (const auto record = room->record(); IsOlder(newest, *record)) newest = *record;
  const auto saved_room = co_await log_.Room(room->name());
  if (!saved_room.ok()) co_return saved_room.error();
  if (*saved_room) {
    next.epoch = std::max(next.epoch, (*saved_room)->epoch);
    next.highest = std::max(next.highest, (*saved_room)->last_number + kNumbersPerSave);
    // This Redis served the room without a break, but the database has a later epoch: this Redis was
    // replaced. Wait for its successor, which may itself be replaced.
    const auto before = RecordOf(**saved_room);
    const bool was_replaced = loss.record.server == loss.server &&
                              (*saved_room)->epoch > loss.record.info.epoch &&
                              (!before || before->server != loss.server);
    if (was_replaced) {
      if (std::exchange(room->moved_to, (*saved_room)->epoch) != (*saved_room)->epoch) {
        room->moved_at = now;
        LogWarning("redis: another Redis serves room {}; looking for the primary", room->name());
        client_.FindPrimaryAgain();
      }
      if (now - room->moved_at < kPatience) co_return Refusal::kUnavailable;
    }
    if (before && IsOlder(newest, *before)) newest = *before;
  }
  const auto last_admitted = co_await log_.LastAdmitted(room->name());
  if (!last_admitted.ok()) co_return last_admitted.error();
  next.serving = std::max(next.serving, *last_admitted);
  next.epoch = std::max(EpochOf(now), next.epoch + 1);
  newest.server = loss.server;
  newest.version = std::max(newest.version, loss.record.version);
  SavedRoom fence{room->name(), next.epoch, RoundedDown(info.last_number), SavedText(newest), newest.version};
  auto written = co_await Save(std::move(fence));
  if (!written.ok()) co_return written.error();
  co_return next;
}

// Redis keeps a fan inside whose admission has no database record yet: that admission waits in the room's
// log.
Task<Outcome<ScriptWords>> Recovery::InsideByDatabase(Room* room, Loss loss, Draws draws, Time now) {
  const auto inside = co_await log_.Inside(room->name(), now);
  if (!inside.ok()) co_return inside.error();
  std::vector<PlaceNumber> numbers;
  for (const auto& place : loss.inside) numbers.push_back(place.second);
  const auto admissions = co_await recorder_.Find(room->name(), std::move(numbers));
  if (!admissions.ok()) co_return admissions.error();
  ScriptWords words;
  const auto add = [&](const UserId& user, PlaceNumber number, std::int64_t entered_at) {
    AddPlaceWords(words, user, {number, draws.IndexOf(number), entered_at});
  };
  for (const auto& record : *inside) add(record.user, record.number, ToMillis(record.entered_at));
  for (const auto& [user, number] : loss.inside) {
    const auto* admission = AdmissionRecorder::AdmissionOf(*admissions, user, number);
    if (admission != nullptr && AdmissionRecorder::IsUsed(*admission, now)) add(user, number, 0);
  }
  co_return words;
}

Task<Outcome<Done>> Recovery::Restart(Room* room, Loss loss, Time now) {
  const auto next = co_await Fence(room, loss, now);
  if (!next.ok()) co_return next.error();
  auto inside = co_await InsideByDatabase(room, loss, Draws(next->newest.info.draws), now);
  if (!inside.ok()) co_return inside.error();
  ScriptWords newer;
  if (IsOlder(loss.record, next->newest)) newer = RecordWords(next->newest, loss.record.info.draws);
  std::size_t at = 0;
  do {
    const auto end = std::min(at + kWordsAtOnce, inside->size());
    auto arguments = runner_.Arguments(room->name(), now);
    const bool is_last = end == inside->size();
    arguments.Arg(loss.server).Arg(next->epoch).Arg(hold_.count()).Arg(is_last ? 1 : 0);
    arguments.Arg(next->highest).Arg(next->serving).Arg(is_last ? newer.size() : 0);
    for (std::size_t i = 0; is_last && i < newer.size(); ++i) arguments.Arg(newer[i]);
    for (; at < end; ++at) arguments.Arg((*inside)[at]);
    auto reply = co_await client_.Eval(RoomScripts::Get().epoch, std::move(arguments));
    if (!reply) co_return Refusal::kUnavailable;
    if (CodeOf(*reply) != RoomCode::kOne) co_return Done{};
  } while (at < inside->size());
  LogWarning("redis: room {} may have lost its newest changes; restoring places from the fans' tokens",
             room->name());
  co_return Done{};
}

Task<Outcome<std::int64_t>> Recovery::PutBack(RoomId name, std::vector<PlaceRef> places, Time now) {
  std::vector<PlaceNumber> numbers;
  for (const auto& place : places) numbers.push_back(place.number);
  auto admissions = co_await recorder_.Find(name, std::move(numbers));
  if (!admissions.ok()) co_return admissions.error();
  auto* room = rooms_.Find(name);
  if (!room) co_return Refusal::kUnavailable;
  const Draws draws(room->record()->info.draws);
  ScriptWords words;
  for (const auto& [_, user, number, epoch] : places) {
    const auto* admission = AdmissionRecorder::AdmissionOf(*admissions, user, number);
    if (admission != nullptr && AdmissionRecorder::IsUsed(*admission, now)) continue;
    const auto entered_at = admission != nullptr ? ToMillis(admission->entered_at) : 0;
    AddPlaceWords(words, user, {number, epoch, draws.IndexOf(number), entered_at});
  }
  if (words.empty()) co_return 0;
  auto reply = co_await runner_.Run(&RoomScripts::Get().restore, std::move(name), std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  co_return DecodeRestored(*reply);
}

Task<Outcome<Done>> Recovery::SaveRoom(Room* room, Time now, SavedRoom* last) {
  const auto record = room->record();
  if (!record) co_return Done{};
  const auto info = room->info();
  SavedRoom saved_room{room->name(), record->info.epoch, RoundedDown(info.last_number), SavedText(*record),
                       record->version};
  if (last != nullptr && saved_room == *last) co_return Done{};
  // The node that changed the phase has recorded it, unless that node ended or the database did not answer.
  RoomPhase phase{room->name(), record->info.epoch, record->phases, record->info.serving.state, now};
  const auto recorded = co_await log_.RecordPhase(std::move(phase));
  if (!recorded.ok()) co_return recorded.error();
  auto written = co_await Save(saved_room);
  if (last != nullptr && written.ok()) *last = std::move(saved_room);
  co_return written;
}

}  // namespace maejin::redis
