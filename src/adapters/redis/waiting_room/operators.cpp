#include "adapters/redis/waiting_room/operators.h"

#include <tuple>

#include <fmt/format.h>

#include "adapters/redis/waiting_room/room_scripts.h"

namespace maejin::redis {
namespace {

// The maximum of retries of a decision when other nodes change the room first.
constexpr int kMostDecisions = 20;

}  // namespace

Task<Outcome<Room*>> Operators::Read(RoomId name, Time now) {
  for (int attempt = 0; attempt < kMostDecisions; ++attempt) {
    auto room = co_await runner_.Read(name, now);
    if (!room.ok()) co_return room.error();
    const auto record = (*room)->record();
    const auto state = record->info.serving.state;
    if (PhaseAt(record->info.settings, state, now) == state) co_return room;
    auto stepped = co_await StepPhases(name, now);
    if (!stepped.ok()) co_return stepped.error();
  }
  co_return Refusal::kUnavailable;
}

// The node computes the draw of a pre-queue; the script only moves the places. It refuses if a fan joined
// after the draw was computed.
Task<Outcome<bool>> Operators::Write(Room* room, Change change, Time now) {
  const auto record = room->record();
  const auto info = room->info();
  const auto state = info.serving.state;
  std::string begins;
  std::string ended;
  std::string positions;
  PlaceNumber first = 0;
  std::uint32_t count = 0;
  const bool undrawn = !info.draws.empty() && !info.draws.back().drawn();
  const bool goes_on = change.state == RoomState::kPreQueue || change.state == RoomState::kScheduled;
  if (undrawn && !goes_on) {
    auto draw = info.draws.back();
    first = draw.first;
    count = draw.count = info.last_number + 1 - draw.first;
    const Shuffle shuffle(draw.seed, count);
    draw.order_digest = OrderDigest(shuffle);
    ended = DrawText(draw);
    positions = PackPositions(shuffle);
  }
  const bool draws = change.settings.order == PreQueueOrder::kDraw;
  if (change.state == RoomState::kPreQueue && state != RoomState::kPreQueue && !undrawn && draws) {
    Draw draw;
    draw.first = info.last_number + 1;
    random_.Fill(std::as_writable_bytes(std::span{draw.seed}));
    begins = DrawText(draw);
  }
  const bool other_flow = state != change.state || ChangesFlow(info.settings, change.settings);
  ScriptWords words = {std::to_string(record->version), other_flow ? "1" : "0", begins,   ended,
                       std::to_string(first),           std::to_string(count),  positions};
  for (auto& [name, value] : SettingsFields(change.settings, change.state)) {
    words.push_back(std::move(name));
    words.push_back(std::move(value));
  }
  const bool other_phase = change.state != state;
  if (other_phase) words.insert(words.end(), {"phases", std::to_string(record->phases + 1)});
  auto reply = co_await runner_.Run(&RoomScripts::Get().configure, room->name(), std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  if (CodeOf(*reply) != RoomCode::kDone) co_return false;
  if (log_ != nullptr && other_phase) {
    // Recovery::SaveRoom() tries again where the database refuses, or this node ends.
    RoomPhase phase{room->name(), record->info.epoch, record->phases + 1, change.state, now};
    std::ignore = co_await log_->RecordPhase(std::move(phase));
  }
  co_return true;
}

Task<Outcome<Done>> Operators::StepPhases(RoomId name, Time now) {
  for (int attempt = 0; attempt < kMostDecisions; ++attempt) {
    auto room = co_await runner_.Read(name, now);
    if (!room.ok()) co_return room.error();
    const auto info = (*room)->info();
    const auto next = PhaseAt(info.settings, info.serving.state, now);
    if (next == info.serving.state) co_return Done{};
    Change change{info.settings, next};
    auto written = co_await Write(*room, std::move(change), now);
    if (!written.ok()) co_return written.error();
  }
  co_return Refusal::kUnavailable;
}

Task<Outcome<Room*>> Operators::Configure(RoomId name, RoomPatch asked, Time now) {
  for (int attempt = 0; attempt < kMostDecisions; ++attempt) {
    auto room = co_await Read(name, now);
    if (!room.ok()) co_return room.error();
    const auto info = (*room)->info();
    const auto state = info.serving.state;
    const auto patch = ResolvePatch(info.settings, state, asked, now);
    if (!patch) co_return room;
    if (patch->state && !MayFollow(state, *patch->state)) {
      co_return Refused{Refusal::kInvalidField,
                        fmt::format("state: {} cannot follow {}", Name(*patch->state), Name(state))};
    }
    Change change{Apply(info.settings, *patch), patch->state.value_or(state)};
    auto written = co_await Write(*room, std::move(change), now);
    if (!written.ok()) co_return written.error();
    if (!*written) continue;
    auto after = co_await Read(name, now);
    co_return after;
  }
  co_return Refusal::kUnavailable;
}

}  // namespace maejin::redis
