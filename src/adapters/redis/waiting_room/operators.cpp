#include "adapters/redis/waiting_room/operators.h"

#include <algorithm>
#include <iterator>
#include <tuple>

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

// The node computes the draw of a pre-queue; the script only moves the places. The script refuses if a fan
// joined after the draw was computed.
Task<Outcome<bool>> Operators::Write(Room* room, RoomSettings settings, RoomState state, Time now) {
  const auto last_number = room->info().last_number;
  const auto record = room->record();
  auto next = *record;
  ++next.version;
  const bool other_phase = state != next.info.serving.state;
  if (other_phase) ++next.phases;
  Draws draws(next.info.draws);
  const auto step = draws.StepAt(next.info.serving.state, state, settings.order);
  if (step == Draws::Step::kFinish) draws.Finish(last_number);
  if (step == Draws::Step::kBegin) draws.Begin(last_number + 1, random_);
  const bool other_flow = other_phase || ChangesFlow(next.info.settings, settings);
  next.info.settings = std::move(settings);
  next.info.serving.state = state;
  next.info.draws = draws.all();
  ScriptWords words = {std::to_string(record->version), other_flow ? "1" : "0",
                       step == Draws::Step::kFinish ? std::to_string(last_number) : ""};
  std::ranges::move(RecordWords(next, record->info.draws), std::back_inserter(words));
  auto reply = co_await runner_.Run(&RoomScripts::Get().configure, room->name(), std::move(words), now);
  if (!reply.ok()) co_return reply.error();
  if (CodeOf(*reply) != RoomCode::kDone) co_return false;
  if (other_phase) {
    // If the database refuses or this node ends, Recovery::SaveRoom() records the phase later.
    RoomPhase phase{room->name(), next.info.epoch, next.phases, state, now};
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
    const auto allowed = CheckPhase(state, *patch);
    if (!allowed.ok()) co_return allowed.error();
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
