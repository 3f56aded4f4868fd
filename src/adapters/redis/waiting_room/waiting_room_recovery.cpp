// What survives when Redis loses its memory: rooms and admissions in the database, places in the fans' own tokens.
#include <algorithm>
#include <set>
#include <tuple>

#include "adapters/redis/waiting_room/room_scripts.h"
#include "adapters/redis/waiting_room/waiting_room_store.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

// A room is written down again when it has handed out so many more numbers.
constexpr PlaceNumber kNumbersPerNote = 100'000;
constexpr std::size_t kWordsAtOnce = 4 * 500;  // of fans who are put back
// So long a Redis that was replaced waits for the one that replaced it: sentinels need some ten seconds to demote it.
constexpr Millis kPatience{15'000};

// Only one at a time.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& taken) : taken_(taken), mine_(!taken.exchange(true)) {}
  ~Turn() {
    if (mine_) taken_ = false;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  bool mine() const { return mine_; }

 private:
  std::atomic<bool>& taken_;
  const bool mine_;
};

bool Used(const AdmissionRecord& record, Time now) {
  return record.ended_at || record.session_ends_at <= now;
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

bool WaitingRoomStore::Settling(const RoomId& room, Time now) const {
  const auto known = Find(room);
  return known && known->lost_at > Time{} && now < known->lost_at + known->info.settings.grace;
}

bool WaitingRoomStore::MayReturn(const SignOfLife& sign, Time now) const {
  return sign.missed && Settling(sign.place.room, now) &&
         sign.place.epoch < Find(sign.place.room)->info.epoch;
}

// Those this node knows to wait.
std::uint32_t WaitingRoomStore::WaitingAtMost(const Known& known) {
  const auto highest = known.witness->highest.load();
  return known.info.serving.waiting +
         (highest > known.info.last_number ? highest - known.info.last_number : 0);
}

Task<Outcome<std::optional<RoomMemory>>> WaitingRoomStore::MemoryOf(RoomId room) {
  if (options_.admissions == nullptr) co_return std::optional<RoomMemory>{};
  auto memory = co_await options_.admissions->Room(std::move(room));
  co_return memory;
}

// How a room that should be there begins again; absent: nobody knows of it.
Task<std::optional<RoomBeginning>> WaitingRoomStore::RememberedRoom(RoomId room) {
  RoomBeginning beginning;
  beginning.lost = true;
  const auto known = Find(room);
  if (known) {
    beginning.settings = known->info.settings;
    beginning.state = known->info.serving.state;
    beginning.draws = known->info.draws;
    beginning.version = known->version + 1;
    beginning.last_number = known->witness->highest.load();
    beginning.epoch = std::max(known->info.epoch, known->witness->epoch()) + 1;
    co_return beginning;
  }
  auto memory = co_await MemoryOf(room);
  if (!memory.ok() || !*memory) co_return std::nullopt;
  const auto info = ParseMemoryText(room, (*memory)->settings);
  if (!info) co_return std::nullopt;
  beginning.settings = info->settings;
  beginning.state = info->serving.state;
  beginning.draws = info->draws;
  beginning.last_number = (*memory)->last_number + kNumbersPerNote;
  beginning.epoch = (*memory)->epoch + 1;
  co_return beginning;
}

// Another Redis serves the room than before, or it has forgotten what this node has seen. One coroutine at a time sees to
// it; for the others Redis is away for a moment.
Task<Outcome<Done>> WaitingRoomStore::Recover(RoomId room, Time now) {
  auto known = Find(room);
  if (!known) {
    auto refreshed = co_await Refresh(room, now);
    if (!refreshed.ok()) co_return refreshed.error();
    known = *refreshed;
  }
  const Turn turn(known->witness->recovering);
  if (!turn.mine()) co_return Refusal::kUnavailable;
  auto loss = co_await Examine(known, now);
  if (!loss.ok()) co_return loss.error();
  if (!*loss) co_return Done{};
  auto restarted = co_await Restart(known, std::move(**loss), now);
  co_return restarted;
}

ScriptArguments WaitingRoomStore::RecoveryArguments(const Known& known, Time now) const {
  auto arguments = KeysOf(known.info.room).Arguments("");
  arguments.Arg(ToMillis(now)).Arg(0);
  for (const auto& word : Happened(known.info.room)) arguments.Arg(word);
  return arguments;
}

// Absent: nothing is wrong any more.
Task<Outcome<std::optional<WaitingRoomStore::Loss>>> WaitingRoomStore::Examine(KnownPtr known, Time now) {
  auto reply = co_await client_.Eval(RoomScripts::Get().epoch, RecoveryArguments(*known, now));
  if (!reply) co_return Refusal::kUnavailable;
  std::optional<Loss> loss;
  if (reply->At(0).AsInteger() != 1) co_return loss;
  loss.emplace();
  loss->epoch = static_cast<std::uint32_t>(reply->At(1).AsInteger());
  loss->server_before = reply->At(2).text;
  loss->server = reply->At(3).text;
  for (std::size_t i = 4; i + 1 < reply->elements.size(); i += 2) {
    loss->inside.emplace_back(reply->At(i).text, static_cast<PlaceNumber>(reply->At(i + 1).AsInteger()));
  }
  co_return loss;
}

// From here on the database refuses admissions of earlier epochs: a Redis that was replaced and does not know it, and the
// nodes that still ask it, let nobody in. Returns the next epoch.
Task<Outcome<std::uint32_t>> WaitingRoomStore::Fence(KnownPtr known, Loss loss, Time now) {
  auto& witness = *known->witness;
  auto epoch = std::max({witness.epoch(), loss.epoch, known->info.epoch});
  if (options_.admissions == nullptr) co_return std::max(EpochOf(now), epoch + 1);
  auto memory = co_await MemoryOf(known->info.room);
  if (!memory.ok()) co_return memory.error();
  if (*memory) {
    epoch = std::max(epoch, (*memory)->epoch);
    // This very Redis has served the room without a break, and yet the database knows a later epoch: it is the one that was
    // replaced. Whoever replaced it has a while to show up, or to be replaced in turn.
    const bool moved = loss.server_before == loss.server && (*memory)->epoch > loss.epoch &&
                       MemoryServer((*memory)->settings) != loss.server;
    if (moved) {
      const bool news = witness.moved_to.exchange((*memory)->epoch) != (*memory)->epoch;
      if (news) {
        witness.moved_at = ToMillis(now);
        LogWarning("redis: room {} is served by another Redis by now", known->info.room);
        client_.FindPrimaryAgain();
      }
      if (now - TimeFromMillis(witness.moved_at) < kPatience) co_return Refusal::kUnavailable;
    }
  }
  const auto next = std::max(EpochOf(now), epoch + 1);
  RoomMemory fence{known->info.room, next, known->info.last_number / kNumbersPerNote * kNumbersPerNote,
                   MemoryText(known->info, loss.server)};
  auto written = co_await options_.admissions->RememberRoom(std::move(fence));
  if (!written.ok()) co_return written.error();
  co_return next;
}

// For room_epoch.lua: who is inside, and whom Redis has inside although it left. Of whom the database knows nothing, nothing
// is said: its admission waits in the room's log.
Task<Outcome<WaitingRoomStore::ScriptWords>> WaitingRoomStore::InsideByTheDatabase(RoomId room, Loss loss,
                                                                                   Time now) {
  ScriptWords words;
  if (options_.admissions == nullptr) co_return words;
  auto inside = co_await options_.admissions->Inside(room, now);
  if (!inside.ok()) co_return inside.error();
  const auto known = Find(room);
  std::set<std::pair<UserId, PlaceNumber>> said;
  const auto say = [&](const AdmissionRecord& record, std::int64_t entered_at) {
    said.emplace(record.user, record.number);
    const auto order = known ? OrderOf(known->info, record.number) : record.number - 1;
    for (auto& word : ScriptWords{record.user, std::to_string(record.number), std::to_string(order),
                                  std::to_string(entered_at)})
      words.push_back(std::move(word));
  };
  for (const auto& record : *inside) say(record, ToMillis(record.entered_at));
  for (const auto& [user, number] : loss.inside) {
    if (said.contains({user, number})) continue;
    auto record = co_await options_.admissions->Find(room, user, number);
    if (!record.ok()) co_return record.error();
    if (*record && Used(**record, now)) say(**record, 0);
  }
  co_return words;
}

Task<Outcome<Done>> WaitingRoomStore::Restart(KnownPtr known, Loss loss, Time now) {
  auto epoch = co_await Fence(known, loss, now);
  if (!epoch.ok()) co_return epoch.error();
  auto inside = co_await InsideByTheDatabase(known->info.room, loss, now);
  if (!inside.ok()) co_return inside.error();
  std::size_t at = 0;
  do {
    const auto end = std::min(at + kWordsAtOnce, inside->size());
    auto arguments = RecoveryArguments(*known, now);
    arguments.Arg(loss.server).Arg(*epoch).Arg(options_.hold_after_loss.count());
    arguments.Arg(WaitingAtMost(*known)).Arg(end == inside->size() ? 1 : 0);
    for (; at < end; ++at) arguments.Arg((*inside)[at]);
    auto reply = co_await client_.Eval(RoomScripts::Get().epoch, std::move(arguments));
    if (!reply) co_return Refusal::kUnavailable;
    if (reply->At(0).AsInteger() != 1) co_return Done{};
  } while (at < inside->size());
  LogWarning("redis: room {} may have lost its newest changes; its fans come back by their tokens",
             known->info.room);
  co_return Done{};
}

Task<Outcome<WaitingRoomStore::Admissions>> WaitingRoomStore::AdmissionsOf(RoomId room,
                                                                           std::vector<PlaceNumber> numbers) {
  Admissions admissions;
  if (options_.admissions == nullptr) co_return admissions;
  auto records = co_await options_.admissions->Admitted(std::move(room), std::move(numbers));
  if (!records.ok()) co_return records.error();
  for (auto& record : *records) admissions.emplace(std::pair(record.user, record.number), std::move(record));
  co_return admissions;
}

// The tokens are signed, so their numbers are the fans': a place is where it was before the loss, inside where the
// database remembers that, and nowhere where it was used.
Task<Outcome<std::int64_t>> WaitingRoomStore::PutBack(RoomId room, std::vector<PlaceRef> places, Time now) {
  std::vector<PlaceNumber> numbers;
  for (const auto& place : places) numbers.push_back(place.number);
  auto admissions = co_await AdmissionsOf(room, std::move(numbers));
  if (!admissions.ok()) co_return admissions.error();
  const auto known = Find(room);
  if (!known) co_return Refusal::kUnavailable;
  ScriptWords words;
  for (const auto& [_, user, number, epoch] : places) {
    const auto record = admissions->find({user, number});
    const bool admitted = record != admissions->end();
    if (admitted && Used(record->second, now)) continue;
    const auto entered_at = admitted ? ToMillis(record->second.entered_at) : 0;
    const auto order = OrderOf(known->info, number);
    for (auto& word : ScriptWords{user, std::to_string(number), std::to_string(epoch), std::to_string(order),
                                  std::to_string(entered_at)})
      words.push_back(std::move(word));
  }
  if (words.empty()) co_return 0;
  auto reply = co_await Run(&RoomScripts::Get().restore, std::move(room), UserId(), std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  co_return reply->At(1).AsInteger();
}

Task<void> WaitingRoomStore::CheckUnused(RoomId room, SignsOfLife signs, Time now) {
  if (options_.admissions == nullptr) co_return;
  std::vector<PlaceNumber> numbers;
  for (const auto* sign : signs) numbers.push_back(sign->answer->standing.number);
  auto admissions = co_await AdmissionsOf(room, std::move(numbers));
  if (!admissions.ok()) co_return Refuse(signs, admissions.error());
  for (auto* sign : signs) {
    const auto number = sign->answer->standing.number;
    const auto found = admissions->find({sign->place.user, number});
    if (found == admissions->end() || !Used(found->second, now)) continue;
    PlaceRef place{room, sign->place.user, number, sign->answer->epoch};
    std::ignore = co_await End(std::move(place), false, now);
    sign->answer = Refusal::kNotQueued;
  }
}

// Redis does not answer: who is inside stays inside by the database; a waiter is told what it was told last, where
// that is known.
PlaceAnswer WaitingRoomStore::WithoutRedis(const Known& known, const PlaceRef& place,
                                           const AdmissionRecord* admission, Time now) {
  PlaceAnswer answer;
  answer.epoch = place.epoch;
  answer.notice = known.notice;
  answer.token_ttl = known.info.settings.token_ttl;
  auto& standing = answer.standing;
  standing.number = place.number;
  standing.poll_after = standing.poll_interval = Millis{5000};
  if (admission != nullptr) {
    standing.status = PlaceStatus::kEntered;
    standing.rank = 0;
    standing.entered_at = admission->entered_at;
    standing.session_ends_at = admission->session_ends_at;
    standing.ends_at = standing.session_ends_at;
    answer.state = known.info.serving.state;
    return answer;
  }
  answer.state = RoomState::kPaused;
  auto& told = known.witness->told;
  standing.rank = told.LastOfAll(place.number, now);
  if (standing.rank) told.Tell(place.number, *standing.rank, now, standing.poll_after);
  return answer;
}

// The database is asked once for all of them: it serves those who are inside, and everybody waits for Redis.
Task<void> WaitingRoomStore::TellWithoutRedis(RoomId room, SignsOfLife signs, Time now) {
  std::erase_if(signs, [](const SignOfLife* sign) { return sign->place.number == 0 || !sign->Unanswered(); });
  const auto known = Find(room);
  if (!known || signs.empty()) co_return;
  std::vector<PlaceNumber> numbers;
  for (const auto* sign : signs) numbers.push_back(sign->place.number);
  auto admissions = co_await AdmissionsOf(std::move(room), std::move(numbers));
  for (auto* sign : signs) {
    const auto& place = sign->place;
    if (!admissions.ok()) {
      sign->answer = admissions.error();
      continue;
    }
    const auto found = admissions->find({place.user, place.number});
    const auto* admission = found == admissions->end() ? nullptr : &found->second;
    if (admission != nullptr && Used(*admission, now)) {
      sign->answer = Refusal::kNotQueued;
    } else {
      sign->answer = WithoutRedis(*known, place, admission, now);
    }
  }
}

// The room as it would have to come back.
Task<void> WaitingRoomStore::RememberRoom(RoomId room) {
  const auto known = Find(room);
  if (options_.admissions == nullptr || !known) co_return;
  RoomMemory memory{room, known->info.epoch, known->info.last_number / kNumbersPerNote * kNumbersPerNote,
                    MemoryText(known->info, known->server)};
  auto& remembered = watches_[room].remembered;
  const auto text =
      std::to_string(memory.epoch) + " " + std::to_string(memory.last_number) + "\n" + memory.settings;
  if (text == remembered) co_return;
  auto written = co_await options_.admissions->RememberRoom(std::move(memory));
  if (written.ok()) remembered = text;
}

}  // namespace maejin::redis
