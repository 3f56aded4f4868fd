#include "domain/waiting_room/room_data.h"

#include "domain/waiting_room/poll_pacing.h"

namespace maejin {
namespace {

constexpr std::uint16_t kRestoredPollTenths = 200;

std::uint16_t TenthsOf(Millis poll_after) {
  return static_cast<std::uint16_t>((poll_after.count() + 99) / 100);
}

bool HasEligible(const RoomData& room) { return room.eligible.Count() > 0; }

std::uint32_t FreeSlots(const RoomData& room) {
  const auto entered = static_cast<std::uint32_t>(room.slots.size());
  return room.settings.capacity > entered ? room.settings.capacity - entered : 0;
}

Time SeenAt(const RoomData& room, const RoomSlot& slot) { return std::max(slot.renewed_at, room.seen_floor); }

Time AbsentAt(const RoomData& room, const Place& place) {
  return std::max(place.seen(), room.seen_floor) + Millis{pacing::kMissedPolls * 100 * place.poll_tenths};
}

Time GraceEndsAt(const RoomData& room, const Place& place) {
  return std::max(place.seen(), room.seen_floor) + room.settings.grace;
}

void UpdateEligible(RoomData& room, const Place& place) {
  if (place.living && !place.entered && place.present && !place.passed && !place.turn) {
    room.eligible.Set(place.order);
  } else {
    room.eligible.Clear(place.order);
  }
}

void SettleRate(RoomData& room, Time now) {
  room.rate.Settle(room.settings, room::AccruesForTurn(room), now);
}

void ArmPlace(RoomData& room, Place& place, PlaceNumber number, Time at) {
  place.timer_version = static_cast<std::uint16_t>(place.timer_version + 1);
  room.timers.Arm(at, {number, static_cast<std::uint16_t>(place.timer_version), RoomTimer::Kind::kPlace});
  room.due = std::min(room.due, at);
}

void StartTurn(RoomData& room, Place& place, PlaceNumber number, Time now) {
  const auto until = now + room.settings.turn;
  place.turn = true;
  UpdateEligible(room, place);
  room.turns.emplace(number, until);
  room.timers.Arm(until, {number, 0, RoomTimer::Kind::kTurn});
  room.due = std::min(room.due, until);
}

void FireSlot(RoomData& room, Place& place, PlaceNumber number, Time now) {
  const auto ends = room::SlotEndsAt(room, room.slots.at(number));
  if (now < ends) return ArmPlace(room, place, number, ends);
  room::EndPlace(room, number, Ending::kExpired, now);
}

void FirePlace(RoomData& room, Place& place, PlaceNumber number, Time now) {
  if (place.present) {
    if (now < AbsentAt(room, place)) return ArmPlace(room, place, number, AbsentAt(room, place));
    place.present = false;
    UpdateEligible(room, place);
  }
  if (now < GraceEndsAt(room, place)) return ArmPlace(room, place, number, GraceEndsAt(room, place));
  room::EndPlace(room, number, Ending::kAbandoned, now);
}

void Fire(RoomData& room, const RoomTimer& timer, Time now) {
  Place* place = room.places.Find(timer.number);
  if (!place) return;
  if (timer.kind == RoomTimer::Kind::kTurn) return room.due_turns.push_back(timer.number);
  if (timer.version != place->timer_version) return;
  if (place->entered) return FireSlot(room, *place, timer.number, now);
  FirePlace(room, *place, timer.number, now);
}

// Ends due turns in line order, after every expiry, so that the result does not depend on how often
// FireTimers() is called.
void PassTurns(RoomData& room, Time now) {
  const auto order_of = [&](PlaceNumber number) {
    const Place* place = room.places.Find(number);
    return place ? place->order : Line::kNone;
  };
  std::sort(room.due_turns.begin(), room.due_turns.end(),
            [&](PlaceNumber a, PlaceNumber b) { return order_of(a) < order_of(b); });
  for (const auto number : room.due_turns) {
    const auto turn = room.turns.find(number);
    if (turn == room.turns.end() || now < turn->second) continue;
    auto& place = *room.places.Find(number);
    const bool was_ready = room::IsReady(room, place, now);
    room.turns.erase(turn);
    place.turn = false;
    if (was_ready) {
      place.passed = true;
      ++room.turns_passed;
    }
    UpdateEligible(room, place);
  }
  room.due_turns.clear();
}

// A lowered capacity may leave fewer free slots than turns: the first places keep their turns.
bool KeepsTurn(const RoomData& room, const Place& place) {
  const bool may_enter = room.state == RoomState::kOpen || room.state == RoomState::kPaused;
  if (!may_enter || !room.has_seats) return false;
  const auto free = FreeSlots(room);
  if (room.turns.size() <= free) return true;
  const auto before = std::count_if(room.turns.begin(), room.turns.end(), [&](const auto& turn) {
    return room.places.Find(turn.first)->order < place.order;
  });
  return static_cast<std::uint32_t>(before) < free;
}

}  // namespace

std::string_view Name(Ending ending) {
  constexpr std::string_view kEndingNames[kEndings] = {"left", "paid", "expired", "abandoned", "revoked"};
  return kEndingNames[static_cast<std::size_t>(ending)];
}

namespace room {

// Reading.

Time SlotEndsAt(const RoomData& room, const RoomSlot& slot) {
  return maejin::SlotEndsAt(slot.entered_at + slot.paused, SeenAt(room, slot), room.settings);
}

std::uint32_t Allowed(const RoomData& room, Time now) {
  if (room.state != RoomState::kOpen || !room.has_seats) return 0;
  const auto free = FreeSlots(room);
  if (!room.settings.rate_per_minute) return free;
  const auto by_rate = room.rate.Allowed(room.settings, AccruesForTurn(room), now);
  // `by_rate` is below zero if the rate was lowered after turns began, and more fans entered than it allows.
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(by_rate, 0, free));
}

bool IsReady(const RoomData& room, const Place& place, Time now) {
  if (room.settings.admission != Admission::kClaim) return false;
  if (place.turn) return KeepsTurn(room, place);
  const auto allowed = Allowed(room, now);
  if (allowed <= room.turns.size()) return false;
  const auto left = allowed - static_cast<std::uint32_t>(room.turns.size());
  return (place.passed ? room.eligible.Count() : room.eligible.Rank(place.order)) < left;
}

bool AccruesForTurn(const RoomData& room) {
  if (HasEligible(room) || !room.settings.rate_per_minute) return HasEligible(room);
  return std::any_of(room.turns.begin(), room.turns.end(),
                     [&](const auto& turn) { return !room.places.Find(turn.first)->passed; });
}

Standing StandingOf(const RoomData& room, const Place& place, PlaceNumber number, Time now) {
  if (place.entered) {
    const auto& slot = room.slots.at(number);
    auto standing =
        StandingInside(number, slot.entered_at, SeenAt(room, slot), room.state, room.settings, now);
    standing.ends_at = SlotEndsAt(room, slot);
    return standing;
  }
  Standing standing;
  standing.number = number;
  const auto undrawn_from = room.draws.UndrawnFrom();
  const bool drawn = undrawn_from == 0 || number < undrawn_from;
  if (drawn) standing.rank = room.waiting.Rank(place.order);
  // A shortcut: at least rank - ineligible eligible places are ahead, so a far place cannot be ready.
  const auto ineligible = room.waiting.Count() - room.eligible.Count();
  const bool far = standing.rank && *standing.rank >= std::uint64_t{room.settings.capacity} + ineligible;
  if ((place.turn || !far) && IsReady(room, place, now)) {
    standing.status = PlaceStatus::kReady;
    standing.eta = Eta{};
    if (const auto turn = room.turns.find(number); turn != room.turns.end()) standing.ends_at = turn->second;
  } else if (standing.rank && room.state == RoomState::kOpen) {
    standing.eta = room.outflow.UntilEntered(std::uint64_t{*standing.rank} + 1, now);
  }
  Pace(standing, room.state, room.settings, now);
  return standing;
}

Time NextDue(const RoomData& room) {
  const auto& settings = room.settings;
  const auto due = std::min(room.timers.NextDue().value_or(Time::max()), NextPhaseAt(settings, room.state));
  const bool may_fill = room.state == RoomState::kOpen && room.has_seats &&
                        settings.admission == Admission::kPush && HasEligible(room) && FreeSlots(room) > 0;
  if (!may_fill) return due;
  return std::min<Time>(due, std::max(room.next_fill_at, room.rate.NextAt(settings)));
}

// Places.

void AddPlace(RoomData& room, const UserKey& user, Time now) {
  SettleRate(room, now);
  const auto number = ++room.last_number;
  auto& place = room.places.Add(number, user);
  place.order = number - 1;
  place.present = true;
  place.SetSeen(now);
  const bool only_waiter = room.waiting.Count() == 0;
  room.waiting.Set(place.order);
  UpdateEligible(room, place);
  room.changes.push_back({RoomChange::Kind::kJoined, number, now});
  if (only_waiter && room.settings.admission == Admission::kPush && Allowed(room, now) > 0) {
    return Admit(room, number, now);
  }
  place.poll_tenths = TenthsOf(StandingOf(room, place, number, now).poll_interval);
  ArmPlace(room, place, number, AbsentAt(room, place));
  Fill(room, now);
}

void KeepPassEnds(RoomData& room, Seconds limit) {
  for (auto& [number, slot] : room.slots)
    slot.earlier_pass_ends_at = std::max<Time>(slot.earlier_pass_ends_at, slot.entered_at + limit);
}

void RestorePlace(RoomData& room, const RestoredPlace& restored, Time now) {
  const auto number = restored.number;
  auto& place = room.places.Add(number, restored.user);
  room.last_number = std::max(room.last_number, number);
  place.order = room.draws.IndexOf(number);
  place.present = true;
  place.SetSeen(now);
  if (restored.entered_at) {
    place.entered = true;
    auto& slot = room.slots.emplace(number, RoomSlot{*restored.entered_at, now}).first->second;
    slot.arrived = true;
    slot.earlier_pass_ends_at = restored.earlier_pass_ends_at.value_or(Time{});
    return ArmPlace(room, place, number, SlotEndsAt(room, slot));
  }
  room.waiting.Set(place.order);
  room.eligible.Set(place.order);
  // The fan still polls at the interval of its last answer before the restart. 20 s is the longest up to rank
  // 2,000,000.
  place.poll_tenths = kRestoredPollTenths;
  ArmPlace(room, place, number, AbsentAt(room, place));
}

void MarkSeen(RoomData& room, Place& place, PlaceNumber number, Time now) {
  place.SetSeen(now);
  if (place.entered) {
    auto& slot = room.slots.at(number);
    slot.renewed_at = now;
    slot.arrived = true;
    return;
  }
  if (place.present) return;
  SettleRate(room, now);
  place.present = true;
  place.passed = false;
  UpdateEligible(room, place);
  ArmPlace(room, place, number, AbsentAt(room, place));
}

Standing AnswerStanding(RoomData& room, Place& place, PlaceNumber number, Time now) {
  auto standing = StandingOf(room, place, number, now);
  if (place.entered) return standing;
  if (standing.status == PlaceStatus::kReady && !place.turn) {
    StartTurn(room, place, number, now);
    standing.ends_at = room.turns.at(number);
  }
  const auto tenths = TenthsOf(standing.poll_interval);
  const bool sooner = tenths < place.poll_tenths;
  place.poll_tenths = tenths;
  if (sooner) ArmPlace(room, place, number, AbsentAt(room, place));
  return standing;
}

void ReturnTurn(RoomData& room, Place& place, Time now) {
  SettleRate(room, now);  // no credit accrues for the time without an eligible place
  place.passed = false;
  UpdateEligible(room, place);
}

void EndPlace(RoomData& room, PlaceNumber number, Ending ending, Time now) {
  auto& place = *room.places.Find(number);
  const bool was_inside = place.entered;
  bool no_show = false;
  Time entered_at{};
  Time session_ends_at{};
  if (const auto slot = room.slots.find(number); slot != room.slots.end()) {
    no_show = !slot->second.arrived && ending == Ending::kExpired;
    if (no_show) room.rate.AddNoShow(room.settings);
    entered_at = slot->second.entered_at;
    session_ends_at = std::max<Time>(slot->second.earlier_pass_ends_at,
                                     entered_at + slot->second.paused + room.settings.session_limit);
    room.slots.erase(slot);
  }
  room.turns.erase(number);
  room.waiting.Clear(place.order);
  room.eligible.Clear(place.order);
  room.places.Remove(number);
  room.changes.push_back(
      {RoomChange::Kind::kEnded, number, now, ending, was_inside, no_show, entered_at, session_ends_at, {}});
}

// Admission.

void Admit(RoomData& room, PlaceNumber number, Time now) {
  auto& place = *room.places.Find(number);
  SettleRate(room, now);
  room.rate.Spend(room.settings);
  room.waiting.Clear(place.order);
  place.entered = true;
  place.turn = false;
  UpdateEligible(room, place);
  room.turns.erase(number);
  const auto& slot = room.slots.emplace(number, RoomSlot{now, now}).first->second;
  ArmPlace(room, place, number, SlotEndsAt(room, slot));
  room.serving = number;
  room.outflow.Count(now);
  room.changes.push_back({RoomChange::Kind::kEntered, number, now});
}

void Fill(RoomData& room, Time now) {
  const bool pushes = room.state == RoomState::kOpen && room.settings.admission == Admission::kPush;
  if (!pushes || now < room.next_fill_at || !HasEligible(room)) return;
  for (auto allowed = Allowed(room, now); allowed > 0; --allowed) {
    const auto first = room.eligible.First();
    if (first == Line::kNone) break;
    Admit(room, room.draws.NumberAt(first), now);
  }
  room.next_fill_at = now + room.settings.admit_interval;
}

// Time.

void ExtendDeadlines(RoomData& room, Millis by) {
  for (auto& [number, until] : room.turns) {
    until += by;
    room.timers.Arm(until, {number, 0, RoomTimer::Kind::kTurn});
  }
  for (auto& [number, slot] : room.slots) slot.paused += by;
}

void FireTimers(RoomData& room, Time now) {
  room.timers.Advance(now, [&](const RoomTimer& timer) { Fire(room, timer, now); });
  PassTurns(room, now);
}

void RearmAll(RoomData& room) {
  for (const auto& [number, slot] : room.slots) {
    ArmPlace(room, *room.places.Find(number), number, SlotEndsAt(room, slot));
  }
  room.waiting.ForEach(0, Line::kNone, [&](Line::Index order) {
    const auto number = room.draws.NumberAt(order);
    auto& place = *room.places.Find(number);
    ArmPlace(room, place, number, place.present ? AbsentAt(room, place) : GraceEndsAt(room, place));
  });
}

// The whole line.

void DrawOrder(RoomData& room) {
  const auto first = room.draws.all().back().first;
  std::vector<PlaceNumber> living;
  room.waiting.ForEach(first - 1, room.last_number, [&](Line::Index order) { living.push_back(order + 1); });
  for (const auto number : living) {
    room.waiting.Clear(number - 1);
    room.eligible.Clear(number - 1);
  }
  room.draws.Finish(room.last_number);
  for (const auto number : living) {
    auto& place = *room.places.Find(number);
    place.order = room.draws.IndexOf(number);
    room.waiting.Set(place.order);
    UpdateEligible(room, place);
  }
}

void EndTurns(RoomData& room) {
  for (const auto& [number, until] : room.turns) {
    auto& place = *room.places.Find(number);
    place.turn = false;
    UpdateEligible(room, place);
  }
  room.turns.clear();
}

void ClearTurns(RoomData& room) {
  EndTurns(room);
  room.waiting.ForEach(0, Line::kNone, [&](Line::Index order) {
    auto& place = *room.places.Find(room.draws.NumberAt(order));
    place.passed = false;
    UpdateEligible(room, place);
  });
}

}  // namespace room
}  // namespace maejin
