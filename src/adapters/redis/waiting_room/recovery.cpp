#include "adapters/redis/waiting_room/recovery.h"

#include <algorithm>
#include <set>

#include "adapters/redis/waiting_room/room_scripts.h"
#include "base/log.h"
#include "base/numbers.h"

namespace maejin::redis {
namespace {

// The room is saved again after this many new numbers.
constexpr PlaceNumber kNumbersPerSave = 100'000;
constexpr std::size_t kWordsAtOnce = 4 * 500;  // words per script for fans that are restored inside
// How long a replaced Redis waits for its successor: sentinels need about ten seconds to demote it.
constexpr Millis kPatience{15'000};
// A hash of rooms that were deleted, with the epoch that each had.
constexpr char kDeletedRoomsKey[] = "rooms:deleted";
// The database stores this text in place of a deleted room's settings. It is not a valid settings text.
constexpr char kDeletedRoomText[] = "deleted\n";

// Held by one coroutine at a time.
class Exclusive {
 public:
  explicit Exclusive(std::atomic<bool>& taken) : taken_(taken), is_mine_(!taken.exchange(true)) {}
  ~Exclusive() {
    if (is_mine_) taken_ = false;
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;
  bool is_mine() const { return is_mine_; }

 private:
  std::atomic<bool>& taken_;
  const bool is_mine_;
};

// The order of a place: by its draw if it joined in a pre-queue, else by its number.
std::uint32_t OrderOf(const RoomInfo& info, PlaceNumber number) {
  for (const auto& draw : info.draws) {
    if (!draw.drawn() || number < draw.first || number - draw.first >= draw.count) continue;
    return draw.first - 1 + Shuffle(draw.seed, draw.count).PositionOf(number - draw.first);
  }
  return number - 1;
}

void AddPlaceWords(ScriptWords& words, const UserId& user, std::initializer_list<std::int64_t> numbers) {
  words.push_back(user);
  for (const auto number : numbers) words.push_back(std::to_string(number));
}

PlaceNumber RoundedDown(PlaceNumber number) { return number / kNumbersPerSave * kNumbersPerSave; }

}  // namespace

Task<Outcome<std::optional<SavedRoom>>> Recovery::SavedOf(RoomId room) {
  if (log_ == nullptr) co_return std::optional<SavedRoom>{};
  auto saved_room = co_await log_->Room(std::move(room));
  co_return saved_room;
}

Task<std::optional<RoomBeginning>> Recovery::RememberedRoom(RoomId name) {
  RoomBeginning beginning;
  beginning.lost = true;
  const auto* room = rooms_.Find(name);
  if (const auto record = room ? room->record() : nullptr) {
    const auto known = room->known();
    beginning.settings = record->info.settings;
    beginning.state = record->info.serving.state;
    beginning.draws = record->info.draws;
    beginning.version = record->version + 1;
    beginning.phases = record->phases;
    beginning.last_number = known.highest;
    beginning.epoch = std::max(record->info.epoch, known.epoch) + 1;
    co_return beginning;
  }
  auto saved_room = co_await SavedOf(name);
  if (!saved_room.ok() || !*saved_room) co_return std::nullopt;
  const auto info = ParseSavedText(name, (*saved_room)->settings);
  if (!info) co_return std::nullopt;
  beginning.settings = info->settings;
  beginning.state = info->serving.state;
  beginning.draws = info->draws;
  beginning.phases = SavedPhases((*saved_room)->settings);
  beginning.last_number = (*saved_room)->last_number + kNumbersPerSave;
  beginning.epoch = (*saved_room)->epoch + 1;
  co_return beginning;
}

Task<Outcome<bool>> Recovery::Write(RoomId room, RoomBeginning beginning, Time now) {
  auto arguments = runner_.Arguments(room, now);
  arguments.Arg(beginning.draws.size());
  for (const auto& draw : beginning.draws) arguments.Arg(DrawText(draw));
  for (const auto& [name, value] : NewRoomFields(beginning)) arguments.Arg(name).Arg(value);
  auto created = co_await client_.Eval(RoomScripts::Get().create, std::move(arguments));
  if (!created) co_return Refusal::kUnavailable;
  auto listed = co_await client_.Call(Command("SADD").Key(kRoomsKey).Word(room));
  if (!listed) co_return Refusal::kUnavailable;
  co_return created->AsInteger() == 1;
}

Task<Outcome<Done>> Recovery::Create(RoomId room, Time now, RoomState state) {
  auto beginning = co_await RememberedRoom(room);
  if (!beginning) {
    beginning.emplace();
    beginning->settings = DefaultSettings(room);
    beginning->epoch = EpochOf(now);
    beginning->state = state;
  }
  auto created = co_await Write(std::move(room), std::move(*beginning), now);
  if (!created.ok()) co_return created.error();
  co_return Done{};
}

Task<Outcome<bool>> Recovery::CreateNew(RoomId room, RoomBeginning beginning, Time now) {
  const auto deleted = co_await FindDeleted(room);
  if (!deleted.ok()) co_return deleted.error();
  const auto saved = co_await SavedOf(room);
  if (!saved.ok()) co_return saved.error();
  const auto before = std::max(deleted->epoch, *saved ? (*saved)->epoch : 0);
  beginning.epoch = std::max(EpochOf(now), before + 1);
  beginning.last_number = std::max(deleted->last_number, *saved ? (*saved)->last_number : 0);
  auto created = co_await Write(std::move(room), std::move(beginning), now);
  co_return created;
}

Task<Outcome<Done>> Recovery::FenceDeleted(RoomId room, std::uint32_t epoch, PlaceNumber last_number) {
  const auto mark = std::to_string(epoch) + " " + std::to_string(last_number);
  auto marked = co_await client_.Call(Command("HSET").Key(kDeletedRoomsKey).Word(room).Word(mark));
  if (!marked) co_return Refusal::kUnavailable;
  if (log_ == nullptr) co_return Done{};
  SavedRoom fence{std::move(room), epoch + 1, last_number, kDeletedRoomText};
  auto saved = co_await log_->SaveRoom(std::move(fence));
  co_return saved;
}

Task<Outcome<Recovery::Deleted>> Recovery::FindDeleted(RoomId room) {
  auto mark = co_await client_.Call(Command("HGET").Key(kDeletedRoomsKey).Word(room));
  if (!mark) co_return Refusal::kUnavailable;
  const std::string_view text = mark->text;
  const auto blank = std::min(text.find(' '), text.size());
  Deleted deleted;
  deleted.epoch = ParseInt<std::uint32_t>(text.substr(0, blank)).value_or(0);
  deleted.last_number = ParseInt<PlaceNumber>(text.substr(std::min(blank + 1, text.size()))).value_or(0);
  co_return deleted;
}

Task<Outcome<Done>> Recovery::ForgetDeleted(RoomId name) {
  const auto deleted = co_await FindDeleted(name);
  if (!deleted.ok()) co_return deleted.error();
  const auto saved = co_await SavedOf(name);
  if (!saved.ok()) co_return saved.error();
  const auto* room = rooms_.Find(name);
  const auto known = room ? room->known().epoch : 0;
  const bool saved_as_deleted = *saved && (*saved)->settings == kDeletedRoomText;
  const auto newest = std::max(known, *saved && !saved_as_deleted ? (*saved)->epoch : 0);
  if (deleted->epoch == 0 && !saved_as_deleted) co_return Done{};
  const bool is_deleted = deleted->epoch >= newest || (saved_as_deleted && (*saved)->epoch > known);
  if (!is_deleted) co_return Done{};
  rooms_.Retire(name);
  co_return Refused{Refusal::kRoomNotFound, name};
}

Task<Outcome<Done>> Recovery::CreateAgain(RoomId room, Time now) {
  if (IsOwnRoom(room)) {
    const auto forgotten = co_await ForgetDeleted(room);
    if (!forgotten.ok()) co_return forgotten.error();
  }
  auto remembered = co_await RememberedRoom(room);
  if (!remembered && room != kMainRoom) co_return Refused{Refusal::kRoomNotFound, room};
  auto created = co_await Create(std::move(room), now);
  co_return created;
}

Task<Outcome<Done>> Recovery::Recover(RoomId name, Time now) {
  auto* room = rooms_.Find(name);
  if (!room || !room->record()) {
    auto read = co_await runner_.ReadUnrecovered(name, now);
    if (!read.ok()) co_return read.error();
    room = *read;
  }
  const Exclusive turn(room->recovering);
  if (!turn.is_mine()) co_return Refusal::kUnavailable;
  auto question = runner_.Arguments(name, now);
  auto reply = co_await client_.Eval(RoomScripts::Get().epoch, std::move(question));
  if (!reply) co_return Refusal::kUnavailable;
  auto loss = DecodeLoss(*reply);
  if (!loss) co_return Done{};
  auto restarted = co_await Restart(room, std::move(*loss), now);
  co_return restarted;
}

// Afterwards a replaced Redis, and the nodes that still use it, admit no fan: the database refuses the
// records.
Task<Outcome<Recovery::Continuation>> Recovery::Fence(Room* room, Loss loss, Time now) {
  const auto info = room->info();
  auto epoch = std::max({room->known().epoch, loss.epoch, info.epoch});
  Continuation next{std::max(EpochOf(now), epoch + 1), room->known().highest, info.serving.serving};
  if (log_ == nullptr) co_return next;
  auto saved_room = co_await SavedOf(room->name());
  if (!saved_room.ok()) co_return saved_room.error();
  if (*saved_room) {
    epoch = std::max(epoch, (*saved_room)->epoch);
    next.highest = std::max(next.highest, (*saved_room)->last_number + kNumbersPerSave);
    // This Redis served the room without a break, but the database has a later epoch: this Redis was
    // replaced. Wait for its successor, which may be replaced in turn.
    const bool was_replaced = loss.server_before == loss.server && (*saved_room)->epoch > loss.epoch &&
                              SavedServer((*saved_room)->settings) != loss.server;
    if (was_replaced) {
      if (room->moved_to.exchange((*saved_room)->epoch) != (*saved_room)->epoch) {
        room->moved_at_ms = ToMillis(now);
        LogWarning("redis: another Redis serves room {}; looking for the primary", room->name());
        client_.FindPrimaryAgain();
      }
      if (now - TimeFromMillis(room->moved_at_ms) < kPatience) co_return Refusal::kUnavailable;
    }
  }
  const auto last_admitted = co_await log_->LastAdmitted(room->name());
  if (!last_admitted.ok()) co_return last_admitted.error();
  next.serving = std::max(next.serving, *last_admitted);
  next.epoch = std::max(EpochOf(now), epoch + 1);
  const auto record = room->record();
  const SavedExtras served{loss.server, record ? record->phases : 0};
  SavedRoom fence{room->name(), next.epoch, RoundedDown(info.last_number), SavedText(info, served)};
  auto written = co_await log_->SaveRoom(std::move(fence));
  if (!written.ok()) co_return written.error();
  co_return next;
}

// An admission without a database record waits in the room's log, and is kept.
Task<Outcome<ScriptWords>> Recovery::InsideByDatabase(RoomId name, Loss loss, Time now) {
  ScriptWords words;
  if (log_ == nullptr) co_return words;
  auto inside = co_await log_->Inside(name, now);
  if (!inside.ok()) co_return inside.error();
  const auto* room = rooms_.Find(name);
  if (!room) co_return Refused{Refusal::kRoomNotFound, name};
  const auto info = room->info();
  std::set<std::pair<UserId, PlaceNumber>> said;
  const auto say = [&](const AdmissionRecord& record, std::int64_t entered_at) {
    said.emplace(record.user, record.number);
    AddPlaceWords(words, record.user, {record.number, OrderOf(info, record.number), entered_at});
  };
  for (const auto& record : *inside) say(record, ToMillis(record.entered_at));
  for (const auto& [user, number] : loss.inside) {
    if (said.contains({user, number})) continue;
    auto record = co_await log_->Find(name, user, number);
    if (!record.ok()) co_return record.error();
    if (*record && AdmissionRecorder::IsUsed(**record, now)) say(**record, 0);
  }
  co_return words;
}

Task<Outcome<Done>> Recovery::Restart(Room* room, Loss loss, Time now) {
  const auto next = co_await Fence(room, loss, now);
  if (!next.ok()) co_return next.error();
  auto inside = co_await InsideByDatabase(room->name(), loss, now);
  if (!inside.ok()) co_return inside.error();
  std::size_t at = 0;
  do {
    const auto end = std::min(at + kWordsAtOnce, inside->size());
    auto arguments = runner_.Arguments(room->name(), now);
    arguments.Arg(loss.server).Arg(next->epoch).Arg(hold_.count()).Arg(end == inside->size() ? 1 : 0);
    arguments.Arg(next->highest).Arg(next->serving);
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
  const auto record = room->record();
  ScriptWords words;
  for (const auto& [_, user, number, epoch] : places) {
    const auto admission = admissions->find({user, number});
    const bool was_admitted = admission != admissions->end();
    if (was_admitted && AdmissionRecorder::IsUsed(admission->second, now)) continue;
    const auto entered_at = was_admitted ? ToMillis(admission->second.entered_at) : 0;
    AddPlaceWords(words, user, {number, epoch, OrderOf(record->info, number), entered_at});
  }
  if (words.empty()) co_return 0;
  auto reply = co_await runner_.Run(&RoomScripts::Get().restore, std::move(name), std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  co_return DecodeRestored(*reply);
}

Task<void> Recovery::SaveRoom(Room* room, Time now) {
  const auto record = room->record();
  if (log_ == nullptr || !record) co_return;
  const auto info = room->info();
  SavedRoom saved_room{room->name(), info.epoch, RoundedDown(info.last_number),
                       SavedText(info, {record->server, record->phases})};
  const auto text = std::to_string(saved_room.epoch) + " " + std::to_string(saved_room.last_number) + "\n" +
                    saved_room.settings;
  if (text == room->remembered) co_return;
  // The node that changed the phase has recorded it, unless it ended or the database was away.
  RoomPhase phase{room->name(), record->info.epoch, record->phases, record->info.serving.state, now};
  const auto recorded = co_await log_->RecordPhase(std::move(phase));
  if (!recorded.ok()) co_return;
  auto written = co_await log_->SaveRoom(std::move(saved_room));
  if (written.ok()) room->remembered = text;
}

}  // namespace maejin::redis
