// The room's phases and settings.
#include <algorithm>
#include <utility>

#include "domain/waiting_room/waiting_room.h"

namespace maejin {

void WaitingRoom::Advance(Time now) {
  if (now < room_.due) return;
  while (true) {
    const auto state = DuePhase(room_.settings, room_.state, now);
    if (state == room_.state) break;
    ChangePhase(state, now);
  }
  room::FireTimers(room_, now);
  room::Fill(room_, now);
  room_.due = room::NextDue(room_);
}

void WaitingRoom::ChangePhase(RoomState state, Time now) {
  if (room_.state == state) return;
  const auto step = room_.draws.StepAt(room_.state, state, room_.settings.order);
  if (step == Draws::Step::kFinish) room::DrawOrder(room_);
  if (step == Draws::Step::kBegin) room_.draws.Begin(room_.last_number + 1, *random_);
  room_.state = state;
  if (state != RoomState::kOpen && state != RoomState::kPaused) room::EndTurns(room_);
  room_.outflow.Reset();
  room_.rate.Restart(now);
  room_.changes.push_back({RoomChange::Kind::kRoom, 0, now});
}

void WaitingRoom::SetSeats(bool has_seats, Time now) {
  Advance(now);
  if (room_.has_seats == has_seats) return;
  room_.rate.Settle(room_.settings, room::AccruesForTurn(room_), now);
  room_.has_seats = has_seats;
  if (!has_seats) room::EndTurns(room_);
  room_.due = now;
  Advance(now);
}

Outcome<Done> WaitingRoom::Configure(RoomPatch patch, Time now) {
  Advance(now);
  auto resolved = ResolvePatch(room_.settings, room_.state, std::move(patch), now);
  if (!resolved) return Done{};
  patch = std::move(*resolved);
  const auto allowed = CheckPhase(room_.state, patch);
  if (!allowed.ok()) return allowed.error();
  auto& settings = room_.settings;
  room_.rate.Settle(settings, room::AccruesForTurn(room_), now);
  const auto before = std::exchange(settings, Apply(settings, patch));
  if (ChangesFlow(before, settings)) room_.outflow.Reset();
  if (!settings.rate_per_minute) room_.rate.ClearNoShows();
  if (before.admission != settings.admission) room::ClearTurns(room_);
  if (patch.state) ChangePhase(*patch.state, now);
  if (before.token_ttl > settings.token_ttl || before.session_limit > settings.session_limit ||
      before.grace > settings.grace) {
    room::RearmAll(room_);
  }
  RoomChange change{RoomChange::Kind::kRoom, 0, now};
  if (before.session_limit > settings.session_limit) {
    room::KeepPassEnds(room_, before.session_limit);
    change.earlier_session_limit = before.session_limit;
  }
  room_.changes.push_back(change);
  room_.next_fill_at = std::min<Time>(room_.next_fill_at, now + settings.admit_interval);
  room_.due = now;
  Advance(now);
  return Done{};
}

}  // namespace maejin
