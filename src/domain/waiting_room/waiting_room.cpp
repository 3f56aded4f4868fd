#include "domain/waiting_room/waiting_room.h"

#include <algorithm>
#include <utility>

namespace maejin {

WaitingRoom::WaitingRoom(RoomSettings settings, RoomState state, Random& random) : random_(&random) {
  room_.settings = std::move(settings);
  room_.state = state;
  room_.due = room::NextDue(room_);
}

Outcome<WaitingRoom::Joined> WaitingRoom::Join(const UserKey& user, Time now) {
  Advance(now);
  if (const auto number = room_.places.FindUser(user)) return Joined{*Poll(number, user, now), false};
  if (room_.state == RoomState::kScheduled) return Refusal::kNotOpen;
  if (room_.state == RoomState::kClosed || room_.settings.draining) return Refusal::kRoomClosed;
  room::AddPlace(room_, user, now);
  const auto number = room_.last_number;
  room_.due = room::NextDue(room_);
  return Joined{*Poll(number, user, now), true};
}

Outcome<Standing> WaitingRoom::Poll(PlaceNumber number, const UserKey& user, Time now) {
  Advance(now);
  Place* place = room::FindOwned(room_, number, user);
  if (!place) return Refusal::kNotQueued;
  const bool returned = !place->present && !place->entered;
  room::MarkSeen(room_, *place, number, now);
  if (returned) {
    room::Fill(room_, now);
    room_.due = room::NextDue(room_);
  }
  return room::AnswerStanding(room_, *place, number, now);
}

Outcome<Standing> WaitingRoom::Look(PlaceNumber number, const UserKey& user, Time now) const {
  const Place* place = room::FindOwned(room_, number, user);
  if (!place) return Refusal::kNotQueued;
  return room::StandingOf(room_, *place, number, now);
}

Outcome<Done> WaitingRoom::Enter(PlaceNumber number, const UserKey& user, Time now) {
  Advance(now);
  Place* place = room::FindOwned(room_, number, user);
  if (!place) return Refusal::kNotQueued;
  room::MarkSeen(room_, *place, number, now);
  if (place->passed) room::ReturnTurn(room_, *place, now);
  room::Fill(room_, now);
  room_.due = room::NextDue(room_);
  if (place->entered) return Done{};
  if (room_.state == RoomState::kClosed) return Refusal::kRoomClosed;
  const bool lets_in = room_.state == RoomState::kOpen || room_.state == RoomState::kPaused;
  if (lets_in && !room_.has_seats) return Refusal::kSoldOut;
  if (!room::IsReady(room_, *place, now)) return Refusal::kNotYourTurn;
  room::Admit(room_, number, now);
  room_.slots.at(number).arrived = true;
  return Done{};
}

bool WaitingRoom::End(PlaceNumber number, const UserKey& user, Ending ending, Time now) {
  Advance(now);
  if (!room::FindOwned(room_, number, user)) return false;
  room::EndPlace(room_, number, ending, now);
  room::Fill(room_, now);
  room_.due = room::NextDue(room_);
  return true;
}

bool WaitingRoom::IsInside(PlaceNumber number, const UserKey& user, Time now) const {
  const Place* place = room::FindOwned(room_, number, user);
  return place && place->entered && now < room::SlotEndsAt(room_, room_.slots.at(number));
}

Serving WaitingRoom::Summary() const {
  return {room_.serving,           room_.waiting.Count(), static_cast<std::uint32_t>(room_.slots.size()),
          room_.settings.capacity, room_.state,           room_.settings.order};
}

std::size_t WaitingRoom::bytes() const {
  return sizeof *this + room_.places.bytes() + room_.waiting.bytes() + room_.eligible.bytes() +
         room_.timers.bytes() + room_.slots.size() * (sizeof(RoomSlot) + 32) + room_.turns.size() * 48;
}

void WaitingRoom::Restore(PlaceNumber last_number, PlaceNumber serving, std::vector<Draw> draws) {
  room_.last_number = last_number;
  room_.serving = serving;
  room_.draws = Draws(std::move(draws));
}

}  // namespace maejin
