#include "adapters/redis/waiting_room/ticker.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "adapters/redis/waiting_room/room_scripts.h"

namespace maejin::redis {
namespace {

constexpr Millis kTickLeast{100};
constexpr Millis kFollowEvery{80};  // every other tick: the node ticks every 50 ms
constexpr Millis kTickMost{1000};
constexpr Millis kWriteEvery{1000};
constexpr Millis kLearnEvery{2000};
constexpr std::chrono::minutes kForgetEvery{10};
// How long ended admissions are kept; afterwards only their room and number.
constexpr std::chrono::hours kAdmissionsKept{24};
constexpr std::size_t kSignsAtOnce = 1000;

// Whether the time `at` has come. If so, sets `at` to the next time.
bool IsDue(Time& at, Time now, Millis every) {
  if (now < at) return false;
  at = now + every;
  return true;
}

}  // namespace

void RoomTicker::Tick(Time now) {
  if (ticking_.Begin(true)) client_.Spawn(TickAll(now));
  if (recording_.Begin(true)) client_.Spawn(RecordAll(now));
}

Task<void> RoomTicker::RecordAll(Time now) {
  // While the database does not answer, entries are refused before they are recorded. So without this write
  // the node would not notice that the database answers again.
  const bool asks = !recorder_.IsAnswering() && IsDue(ask_at_, now, kTickMost);
  if (asks || IsDue(forget_at_, now, kForgetEvery)) co_await recorder_.Forget(now - kAdmissionsKept);
  for (auto* room : rooms_.All()) {
    if (room->has_log_entries.exchange(false)) {
      AdmissionRecorder::Entries only_the_log;
      std::ignore = co_await recorder_.Record(room->name(), std::move(only_the_log), now);
    }
    if (IsDue(room->record_at, now, kTickMost))
      std::ignore = co_await recovery_.SaveRoom(room, now, &room->saved);
  }
  recording_.End();
}

// Redis needs about a millisecond to compile a room's script. If Redis lacks a script later, the client sends
// it with the next call.
Task<void> RoomTicker::LoadScripts() {
  const auto& scripts = RoomScripts::Get();
  for (const auto* script : {&scripts.ask, &scripts.enter, &scripts.end, &scripts.tick, &scripts.read,
                             &scripts.notes, &scripts.show, &scripts.inside, &scripts.configure}) {
    Command command("SCRIPT", "LOAD");
    command.Word(script->text());
    const auto loaded = co_await client_.CallEveryPrimary(std::move(command));
    if (!loaded) co_return;
  }
  has_scripts_ = true;
}

Task<void> RoomTicker::TickAll(Time now) {
  if (!has_scripts_) co_await LoadScripts();
  if (IsDue(learn_at_, now, kLearnEvery)) co_await LearnRooms(now);
  for (auto* room : rooms_.All()) {
    if (IsDue(room->write_at, now, kWriteEvery)) co_await WriteSigns(room, now);
    if (now >= room->tick_at) {
      co_await TickRoom(room, now);
    } else if (room->IsFollowed(now) && IsDue(room->follow_at, now, kFollowEvery)) {
      co_await FollowRoom(room, now);
    }
    ShowSeats(*room, now);
  }
  ticking_.End();
}

Task<void> RoomTicker::TickRoom(Room* room, Time now) {
  room->tick_at = now + kTickMost;
  const auto tick = co_await runner_.Tick(room->name(), now);
  if (!tick.ok()) co_return;
  if (tick->next_due) room->tick_at = std::clamp<Time>(*tick->next_due, now + kTickLeast, now + kTickMost);
  if (tick->log_entries > 0) {
    room->tick_at = now + kTickLeast;
    room->has_log_entries = true;
  }
}

void RoomTicker::ShowSeats(Room& room, Time now) {
  const auto seats = seats_left_ ? seats_left_(room.name()) : std::nullopt;
  if (!seats || (seats == room.shown_seats && now < room.show_at)) return;
  room.shown_seats = seats;
  room.show_at = now + kTickMost;
  client_.Send(Command("SET").Key(runner_.KeysOf(room.name()).SeatCount()).Word(*seats));
}

Task<void> RoomTicker::FollowRoom(Room* room, Time now) {
  Command peek{"HMGET"};
  peek.Key(runner_.KeysOf(room->name()).Room()).Word("epoch").Word("changes").Word("version");
  auto reply = co_await client_.Call(std::move(peek));
  if (!reply) co_return room->SetAway(now);
  if (!room->IsUpToDate(DecodePeek(*reply), now)) co_await TickRoom(room, now);
}

Task<void> RoomTicker::WriteSigns(Room* room, Time now) {
  auto batch = room->TakeSigns(now);
  const auto record = room->record();
  if (batch.empty() || !record) co_return;
  const Millis ttl = 2 * record->info.settings.grace;
  const auto written = co_await WriteSignsOf(runner_.KeysOf(room->name()), &batch, ttl);
  if (!written) room->ReturnSigns(std::move(batch), now);
}

Task<bool> RoomTicker::WriteSignsOf(RoomKeys keys, const SignsOfLife::Batch* batch, Millis ttl) {
  const auto& signs = batch->signs;
  for (std::size_t at = 0; at < signs.size();) {
    const auto page = signs[at].number / SignsOfLife::kPerPage;
    Command write{"BITFIELD"};
    write.Key(keys.Seen(page));
    const auto end = std::min(at + kSignsAtOnce, signs.size());
    for (; at < end && signs[at].number / SignsOfLife::kPerPage == page; ++at) {
      write.Word("SET").Word("u56").Word(fmt::format("#{}", signs[at].number % SignsOfLife::kPerPage));
      write.Word(signs[at].value);
    }
    auto written = co_await client_.Call(std::move(write));
    if (!written) co_return false;
    client_.Send(Command("PEXPIRE").Key(keys.Seen(page)).Word(ttl.count()));
  }
  // A member of `due`, as arm() in room_rules.lua explains it: a time, and the users to check then.
  for (const auto& [look_at, users] : batch->sooner) {
    for (std::size_t at = 0; at < users.size(); at += kSignsAtOnce) {
      auto member = std::to_string(ToMillis(look_at));
      const auto end = std::min(at + kSignsAtOnce, users.size());
      for (auto i = at; i < end; ++i) member += "\n" + users[i];
      Command look{"ZADD"};
      look.Key(keys.Due()).Word(ToMillis(look_at)).Word(member);
      auto written = co_await client_.Call(std::move(look));
      if (!written) co_return false;
    }
  }
  co_return true;
}

Task<void> RoomTicker::LearnRooms(Time now) {
  auto listed = co_await client_.Call(Command("SMEMBERS").Key(kRoomsKey));
  if (!listed) co_return;
  for (const auto& name : DecodeNames(*listed)) {
    const auto* known = rooms_.Find(name);
    if (known && known->record()) continue;
    std::ignore = co_await runner_.Read(name, now);
  }
}

}  // namespace maejin::redis
