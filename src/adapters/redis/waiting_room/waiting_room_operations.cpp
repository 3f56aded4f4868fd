// Settings, phases and the ticker of the rooms in Redis.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "adapters/redis/waiting_room/room_scripts.h"
#include "adapters/redis/waiting_room/waiting_room_store.h"

namespace maejin::redis {
namespace {

// How often a decision is made anew because another node was faster.
constexpr int kAttempts = 20;
constexpr Millis kTickLeast{100};
constexpr Millis kTickMost{1000};
constexpr Millis kLearnEvery{2000};
constexpr std::chrono::minutes kForgetEvery{10};
// An admission that ended so long ago is of no use to anybody who comes back.
constexpr std::chrono::hours kAdmissionsKept{24};

}  // namespace

Task<Outcome<RoomInfo>> WaitingRoomStore::Read(RoomId room, Time now) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto known = co_await Refresh(room, now);
    if (!known.ok()) co_return known.error();
    const auto& info = (*known)->info;
    if (PhaseAt(info.settings, info.serving.state, now) == info.serving.state) co_return info;
    auto stepped = co_await StepPhases(room, now);
    if (!stepped.ok()) co_return stepped.error();
  }
  co_return Refusal::kUnavailable;
}

Task<Outcome<Serving>> WaitingRoomStore::ReadServing(RoomId room, Time now) {
  auto info = co_await Read(std::move(room), now);
  if (!info.ok()) co_return info.error();
  co_return info->serving;
}

// A pre-queue is drawn when it ends, by the node: the script only moves everybody to where the draw says. It
// refuses where somebody joined since the draw was computed.
Task<Outcome<bool>> WaitingRoomStore::Write(KnownPtr before, Change change, Time now) {
  const auto& info = before->info;
  std::string begins;
  std::string ended;
  std::string positions;
  PlaceNumber first = 0;
  std::uint32_t comers = 0;
  if (info.serving.state == RoomState::kPreQueue && change.state != RoomState::kPreQueue &&
      !info.draws.empty()) {
    auto draw = info.draws.back();
    first = draw.first;
    comers = info.last_number + 1 - draw.first;
    const Shuffle shuffle(draw.seed, comers);
    draw.count = comers;
    draw.order_digest = OrderDigest(shuffle);
    ended = DrawText(draw);
    positions = PackPositions(shuffle);
  }
  if (change.state == RoomState::kPreQueue && info.serving.state != RoomState::kPreQueue) {
    Draw draw;
    draw.first = info.last_number + 1;
    random_.Fill(std::as_writable_bytes(std::span{draw.seed}));
    begins = DrawText(draw);
  }
  const bool other_flow = info.serving.state != change.state ||
                          info.settings.capacity != change.settings.capacity ||
                          info.settings.admission != change.settings.admission ||
                          info.settings.rate_per_minute != change.settings.rate_per_minute;
  ScriptWords words = {std::to_string(before->version), other_flow ? "1" : "0", begins,   ended,
                       std::to_string(first),           std::to_string(comers), positions};
  for (auto& [name, value] : SettingsFields(change.settings, change.state)) {
    words.push_back(std::move(name));
    words.push_back(std::move(value));
  }
  auto reply = co_await Run(&RoomScripts::Get().configure, info.room, UserId(), std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  co_return reply->At(0).AsInteger() == 0;
}

Task<Outcome<Done>> WaitingRoomStore::StepPhases(RoomId room, Time now) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto known = co_await Refresh(room, now);
    if (!known.ok()) co_return known.error();
    const auto& info = (*known)->info;
    const auto next = PhaseAt(info.settings, info.serving.state, now);
    if (next == info.serving.state) co_return Done{};
    Change change{info.settings, next};
    auto written = co_await Write(*known, std::move(change), now);
    if (!written.ok()) co_return written.error();
  }
  co_return Refusal::kUnavailable;
}

Task<Outcome<RoomInfo>> WaitingRoomStore::Configure(RoomId room, RoomPatch patch, std::string actor,
                                                    Time now) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto info = co_await Read(room, now);
    if (!info.ok()) co_return info.error();
    const auto state = info->serving.state;
    if (patch.state && !MayFollow(state, *patch.state)) {
      co_return Refused{Refusal::kInvalidField,
                        fmt::format("state: {} cannot follow {}", Name(*patch.state), Name(state))};
    }
    Change change{Apply(info->settings, patch), patch.state.value_or(state)};
    auto written = co_await Write(Find(room), std::move(change), now);
    if (!written.ok()) co_return written.error();
    if (!*written) continue;
    if (options_.audit) options_.audit(now, actor, "room.configure", room, Describe(patch));
    auto after = co_await Read(room, now);
    co_return after;
  }
  co_return Refusal::kUnavailable;
}

// The ticker.

void WaitingRoomStore::Tick(Time now) {
  if (errands_.Begin(true)) client_.Spawn(TickAll(now));
}

Task<void> WaitingRoomStore::TickAll(Time now) {
  if (now >= learn_at_) {
    learn_at_ = now + kLearnEvery;
    co_await LearnRooms();
  }
  if (options_.admissions != nullptr && now >= forget_at_) {
    forget_at_ = now + kForgetEvery;
    std::ignore = co_await options_.admissions->Forget(now - kAdmissionsKept);
  }
  for (const auto& room : Rooms()) {
    if (now >= watches_[room].tick_at) co_await TickRoom(room, now);
  }
  errands_.End();
}

Task<void> WaitingRoomStore::TickRoom(RoomId room, Time now) {
  auto& watch = watches_[room];
  watch.tick_at = now + kTickMost;
  auto reply = co_await Run(&RoomScripts::Get().tick, room, UserId(), Happened(room), now);
  if (!reply.ok()) co_return;
  if (reply->At(9).AsInteger() > 0) {
    watch.tick_at = now + kTickLeast;
    co_await DrainLog(room, now);
  }
  const auto next_due = reply->At(6).AsInteger();
  if (next_due > 0 && reply->At(9).AsInteger() == 0)
    watch.tick_at = std::clamp(TimeFromMillis(next_due), now + kTickLeast, now + kTickMost);
  const auto known = Find(room);
  if (known) {
    known->witness->Saw(static_cast<std::uint32_t>(reply->At(7).AsInteger()),
                        static_cast<std::uint32_t>(reply->At(8).AsInteger()));
  }
  const bool changed = known && known->version != reply->At(1).AsInteger();
  if (changed || now >= watch.refresh_at) {
    watch.refresh_at = now + kTickMost;
    std::ignore = co_await Refresh(room, now);
    co_await RememberRoom(room);
    co_await AgreeOnRanks(room, now);
    const auto seats = options_.seats_left ? options_.seats_left(room) : std::nullopt;
    if (seats) client_.Send(Command("SET").Key(KeysOf(room).SeatCount()).Word(*seats));
  }
}

// Rooms that other nodes have made.
Task<void> WaitingRoomStore::LearnRooms() {
  auto listed = co_await client_.Call(Command("SMEMBERS").Key(kRoomsKey));
  if (!listed) co_return;
  for (const auto& name : listed->elements) {
    if (Find(name.text)) continue;
    // The time is the room's own: reading must not make anything due.
    std::ignore = co_await Refresh(name.text, Time());
  }
}

}  // namespace maejin::redis
