#include "adapters/redis/waiting_room/operators.h"

#include <tuple>

#include <fmt/format.h>

#include "adapters/redis/waiting_room/room_scripts.h"

namespace maejin::redis {
namespace {

// The maximum number of attempts at a decision. An attempt fails if another node changes the room first.
constexpr int kMostDecisions = 20;

}  // namespace

// If the database does not save a phase that was due, RoomTicker saves it later.
Task<Outcome<Room*>> Operators::Read(RoomId name, Time now) {
  bool is_changed = false;
  for (int attempt = 0; attempt < kMostDecisions; ++attempt) {
    auto room = co_await runner_.Read(name, now);
    if (!room.ok()) co_return room.error();
    const auto info = (*room)->info();
    const auto state = DuePhase(info.settings, info.serving.state, now);
    if (state == info.serving.state) {
      if (is_changed) std::ignore = co_await Save(*room, now);
      co_return room;
    }
    auto written = co_await Write(*room, info.settings, state, now);
    if (!written.ok()) co_return written.error();
    is_changed = is_changed || *written;
  }
  co_return Refusal::kUnavailable;
}

Task<Outcome<Done>> Operators::StepPhases(RoomId name, Time now) {
  const auto read = co_await Read(std::move(name), now);
  if (!read.ok()) co_return read.error();
  co_return Done{};
}

// The node computes the draw of a pre-queue; the script only moves the places. The script refuses if a fan
// joined after the draw was computed.
Task<Outcome<bool>> Operators::Write(Room* room, RoomSettings settings, RoomState state, Time now) {
  const auto record = room->record();
  const auto info = room->info();
  const bool other_phase = state != info.serving.state;
  Draws draws;
  draws.Restore(info.draws);
  const auto first = draws.UndrawnFrom();
  const bool goes_on = state == RoomState::kPreQueue || state == RoomState::kScheduled;
  const bool ends = first != 0 && !goes_on;
  const bool begins =
      first == 0 && other_phase && state == RoomState::kPreQueue && settings.order == PreQueueOrder::kDraw;
  if (ends) draws.Finish(info.last_number);
  if (begins) draws.Begin(info.last_number + 1, random_);
  const auto draw = ends || begins ? draws.all().back() : Draw();
  const bool other_flow = other_phase || ChangesFlow(info.settings, settings);
  ScriptWords words = {std::to_string(record->version), other_flow ? "1" : "0", begins ? DrawText(draw) : "",
                       ends ? DrawText(draw) : "", ends ? OrderBytes(Shuffle(draw.seed, draw.count)) : ""};
  for (auto& [name, value] : SettingsFields(settings, state)) {
    words.push_back(std::move(name));
    words.push_back(std::move(value));
  }
  if (other_phase) words.insert(words.end(), {"phases", std::to_string(record->phases + 1)});
  auto reply = co_await runner_.Run(&RoomScripts::Get().configure, room->name(), std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  if (CodeOf(*reply) != RoomCode::kDone) co_return false;
  if (other_phase) {
    // If the database refuses or this node ends, Recovery::SaveRoom() records the phase later.
    RoomPhase phase{room->name(), record->info.epoch, record->phases + 1, state, now};
    std::ignore = co_await log_.RecordPhase(std::move(phase));
  }
  co_return true;
}

Task<Outcome<Room*>> Operators::Save(Room* room, Time now) {
  const auto saved = co_await recovery_.SaveRoom(room, now);
  if (!saved.ok()) co_return saved.error();
  co_return room;
}

// A change that another call has made is saved too: that call may not have saved it.
Task<Outcome<Room*>> Operators::Configure(RoomId name, RoomPatch asked, Time now) {
  for (int attempt = 0; attempt < kMostDecisions; ++attempt) {
    auto room = co_await Read(name, now);
    if (!room.ok()) co_return room.error();
    const auto info = (*room)->info();
    const auto state = info.serving.state;
    const auto epoch = (*room)->record()->info.epoch;
    const auto patch = ResolvePatch(info.settings, state, asked, now);
    if (!patch) co_return co_await Save(*room, now);
    if (patch->state && !MayFollow(state, *patch->state)) {
      co_return Refused{Refusal::kInvalidField,
                        fmt::format("state: {} cannot follow {}", Name(*patch->state), Name(state))};
    }
    auto settings = Apply(info.settings, *patch);
    auto written = co_await Write(*room, std::move(settings), patch->state.value_or(state), now);
    if (!written.ok()) co_return written.error();
    if (!*written) continue;
    const auto after = co_await Read(name, now);
    if (!after.ok()) co_return after.error();
    // After a loss of Redis the room may have restarted without this change: decide again.
    if ((*after)->record()->info.epoch != epoch) continue;
    co_return co_await Save(*after, now);
  }
  co_return Refusal::kUnavailable;
}

}  // namespace maejin::redis
