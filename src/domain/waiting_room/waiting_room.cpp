#include "domain/waiting_room/waiting_room.h"

#include <algorithm>

#include "domain/waiting_room/poll_pacing.h"

namespace maejin {

using pacing::kCreditPerEntry;

std::string_view Name(PlaceStatus status) {
  switch (status) {
    case PlaceStatus::kWaiting:
      return "waiting";
    case PlaceStatus::kReady:
      return "ready";
    case PlaceStatus::kEntered:
      return "entered";
  }
  return "waiting";
}

std::string_view Name(Ending ending) {
  constexpr std::string_view kWaitingRoomNames[kEndings] = {"left", "paid", "expired", "abandoned",
                                                            "revoked"};
  return kWaitingRoomNames[static_cast<std::size_t>(ending)];
}

WaitingRoom::WaitingRoom(RoomSettings settings, RoomState state, Random& random)
    : settings_(std::move(settings)), state_(state), random_(&random), credit_(kCreditPerEntry) {
  due_ = ComputeDue();
}

// Deadlines.

Time WaitingRoom::AbsentAt(const Place& place) const {
  return std::max(place.seen(), seen_floor_) + Millis{pacing::kMissedPolls * 100 * place.poll_tenths};
}

Time WaitingRoom::GraceEndsAt(const Place& place) const {
  return std::max(place.seen(), seen_floor_) + settings_.grace;
}

Time WaitingRoom::SlotEndsAt(const Slot& slot) const {
  return maejin::SlotEndsAt(slot.entered_at, SeenAt(slot), settings_);
}

void WaitingRoom::ArmPlace(Place& place, PlaceNumber number, Time at) {
  place.timer_version = static_cast<std::uint16_t>(place.timer_version + 1);
  timers_.Arm(at, {number, static_cast<std::uint16_t>(place.timer_version), Timer::Kind::kPlace});
  due_ = std::min(due_, at);
}

void WaitingRoom::Fire(const Timer& timer, Time now) {
  Place* place = places_.Find(timer.number);
  if (!place) return;
  if (timer.kind == Timer::Kind::kTurn) return due_turns_.push_back(timer.number);
  if (timer.version != place->timer_version) return;
  if (place->entered) return FireSlot(*place, timer.number, now);
  FirePlace(*place, timer.number, now);
}

void WaitingRoom::FirePlace(Place& place, PlaceNumber number, Time now) {
  if (place.present) {
    if (now < AbsentAt(place)) return ArmPlace(place, number, AbsentAt(place));
    place.present = false;
    Recount(place);
  }
  if (now < GraceEndsAt(place)) return ArmPlace(place, number, GraceEndsAt(place));
  EndPlace(number, Ending::kAbandoned, now);
}

void WaitingRoom::FireSlot(Place& place, PlaceNumber number, Time now) {
  const auto ends = SlotEndsAt(slots_.at(number));
  if (now < ends) return ArmPlace(place, number, ends);
  EndPlace(number, Ending::kExpired, now);
}

// After everything that ended by now has ended, and from the front: whether a turn was there to be taken does
// not depend on when somebody looked.
void WaitingRoom::PassTurns(Time now) {
  const auto order_of = [&](PlaceNumber number) {
    const Place* place = places_.Find(number);
    return place ? place->order : Line::kNone;
  };
  std::sort(due_turns_.begin(), due_turns_.end(),
            [&](PlaceNumber a, PlaceNumber b) { return order_of(a) < order_of(b); });
  for (const auto number : due_turns_) {
    const auto turn = turns_.find(number);
    if (turn == turns_.end() || now < turn->second) continue;
    turns_.erase(turn);
    auto& place = *places_.Find(number);
    if (!IsReady(place, now)) continue;
    place.passed = true;
    ++turns_passed_;
    Recount(place);
  }
  due_turns_.clear();
}

void WaitingRoom::Advance(Time now) {
  if (now < due_) return;
  StepPhases(now);
  timers_.Advance(now, [&](const Timer& timer) { Fire(timer, now); });
  PassTurns(now);
  Fill(now);
  due_ = ComputeDue();
}

Time WaitingRoom::ComputeDue() const {
  auto due = timers_.NextDue().value_or(Time::max());
  const auto consider = [&](Time at) { due = std::min(due, at); };
  const bool before_opening = state_ == RoomState::kScheduled || state_ == RoomState::kPreQueue;
  if (state_ == RoomState::kScheduled && settings_.pre_queue_at) consider(*settings_.pre_queue_at);
  if (before_opening && settings_.opens_at) consider(*settings_.opens_at);
  if (state_ != RoomState::kClosed && settings_.closes_at) consider(*settings_.closes_at);
  const bool may_fill = state_ == RoomState::kOpen && settings_.admission == Admission::kPush &&
                        counted_.Count() > 0 && FreeSlots() > 0;
  if (may_fill) consider(std::max(next_fill_at_, NextCreditAt()));
  return due;
}

// The allowance.

std::uint32_t WaitingRoom::FreeSlots() const {
  return settings_.capacity > entered() ? settings_.capacity - entered() : 0;
}

// While somebody was invited and takes time to come, the allowance may gather, so that the arrivals and not
// the invitations meet the rate; without anybody to invite it does not, so that no burst follows a lull.
std::int64_t WaitingRoom::Credit(Time now) const {
  const std::int64_t rate = *settings_.rate_per_minute;
  auto most = kCreditPerEntry;
  if (settings_.admission == Admission::kClaim && counted_.Count() > 0) {
    most = std::max(most, rate * Millis{settings_.turn}.count());
  }
  const auto elapsed = std::max<std::int64_t>((now - credit_at_).count(), 0);
  return std::min(most, credit_ + elapsed * rate);
}

void WaitingRoom::SettleCredit(Time now) {
  if (settings_.rate_per_minute) credit_ = Credit(now);
  credit_at_ = std::max(credit_at_, now);
}

Time WaitingRoom::NextCreditAt() const {
  if (!settings_.rate_per_minute || no_shows_ > 0 || credit_ >= kCreditPerEntry) return Time{};
  const std::int64_t rate = *settings_.rate_per_minute;
  return credit_at_ + Millis{(kCreditPerEntry - credit_ + rate - 1) / rate};
}

std::uint32_t WaitingRoom::Allowed(Time now) const {
  if (state_ != RoomState::kOpen) return 0;
  const auto free = FreeSlots();
  if (!settings_.rate_per_minute) return free;
  const auto by_rate = Credit(now) / kCreditPerEntry + no_shows_;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(free, by_rate));
}

bool WaitingRoom::IsReady(const Place& place, Time now) const {
  if (settings_.admission != Admission::kClaim) return false;
  const auto allowed = Allowed(now);
  return allowed > 0 && counted_.Rank(place.order) < allowed;
}

// Who stands where.

Place* WaitingRoom::Own(PlaceNumber number, const UserKey& user) {
  Place* place = places_.Find(number);
  return place && place->user == user ? place : nullptr;
}

const Place* WaitingRoom::Own(PlaceNumber number, const UserKey& user) const {
  return const_cast<WaitingRoom*>(this)->Own(number, user);
}

void WaitingRoom::Recount(const Place& place) {
  if (place.living && !place.entered && place.present && !place.passed) {
    counted_.Set(place.order);
  } else {
    counted_.Clear(place.order);
  }
}

PlaceNumber WaitingRoom::NumberAt(Line::Index order) const {
  for (const auto& drawn : shuffles_) {
    if (order >= drawn.first - 1 && order - (drawn.first - 1) < drawn.shuffle.count()) {
      return drawn.first + drawn.shuffle.ComerAt(order - (drawn.first - 1));
    }
  }
  return order + 1;
}

void WaitingRoom::MarkSeen(Place& place, PlaceNumber number, Time now) {
  place.seen_ms = static_cast<std::uint64_t>(ToMillis(now)) & kSeenMask;
  if (place.entered) {
    auto& slot = slots_.at(number);
    slot.renewed_at = now;
    slot.arrived = true;
    return;
  }
  if (place.present) return;
  place.present = true;
  place.passed = false;
  SettleCredit(now);
  Recount(place);
  ArmPlace(place, number, AbsentAt(place));
}

// Transitions.

Outcome<WaitingRoom::Joined> WaitingRoom::Join(const UserKey& user, Time now) {
  Advance(now);
  if (const auto number = places_.FindUser(user)) return Joined{*Poll(number, user, now), false};
  if (state_ == RoomState::kScheduled) return Refusal::kNotOpen;
  if (state_ == RoomState::kClosed || settings_.draining) return Refusal::kRoomClosed;
  SettleCredit(now);
  const auto number = ++last_number_;
  auto& place = places_.Add(number, user);
  place.order = number - 1;
  place.present = true;
  place.seen_ms = static_cast<std::uint64_t>(ToMillis(now)) & kSeenMask;
  const bool alone = waiting_.Count() == 0;
  waiting_.Set(place.order);
  Recount(place);
  Changed(RoomChange::Kind::kJoined, number, now);
  if (alone && settings_.admission == Admission::kPush && Allowed(now) > 0) Admit(number, now);
  if (!place.entered) {
    const auto standing = StandingOf(place, number, now);
    place.poll_tenths = TenthsOf(standing.poll_interval);
    ArmPlace(place, number, AbsentAt(place));
    Fill(now);
  }
  due_ = ComputeDue();
  return Joined{*Poll(number, user, now), true};
}

Outcome<Standing> WaitingRoom::Poll(PlaceNumber number, const UserKey& user, Time now) {
  Advance(now);
  Place* place = Own(number, user);
  if (!place) return Refusal::kNotQueued;
  const bool returned = !place->present && !place->entered;
  MarkSeen(*place, number, now);
  if (returned) {
    Fill(now);
    due_ = ComputeDue();
  }
  return Tell(*place, number, now);
}

Outcome<Done> WaitingRoom::Enter(PlaceNumber number, const UserKey& user, Time now) {
  Advance(now);
  Place* place = Own(number, user);
  if (!place) return Refusal::kNotQueued;
  MarkSeen(*place, number, now);
  if (place->passed) {
    SettleCredit(now);  // where nobody was waited for meanwhile, no allowance has gathered
    place->passed = false;
    Recount(*place);
  }
  Fill(now);
  due_ = ComputeDue();
  if (place->entered) return Done{};
  if (state_ == RoomState::kClosed) return Refusal::kRoomClosed;
  if (!IsReady(*place, now)) return Refusal::kNotYourTurn;
  Admit(number, now);
  slots_.at(number).arrived = true;
  return Done{};
}

bool WaitingRoom::End(PlaceNumber number, const UserKey& user, Ending ending, Time now) {
  Advance(now);
  if (!Own(number, user)) return false;
  EndPlace(number, ending, now);
  Fill(now);
  due_ = ComputeDue();
  return true;
}

bool WaitingRoom::IsInside(PlaceNumber number, const UserKey& user, Time now) const {
  const Place* place = Own(number, user);
  return place && place->entered && now < SlotEndsAt(slots_.at(number));
}

void WaitingRoom::Admit(PlaceNumber number, Time now) {
  auto& place = *places_.Find(number);
  SettleCredit(now);
  if (no_shows_ > 0) {
    --no_shows_;
  } else if (settings_.rate_per_minute) {
    credit_ -= kCreditPerEntry;
  }
  waiting_.Clear(place.order);
  place.entered = true;
  Recount(place);
  turns_.erase(number);
  const auto& slot = slots_.emplace(number, Slot{now, now, false}).first->second;
  ArmPlace(place, number, SlotEndsAt(slot));
  serving_ = number;
  outflow_.Count(now);
  Changed(RoomChange::Kind::kEntered, number, now);
}

void WaitingRoom::Fill(Time now) {
  if (state_ != RoomState::kOpen || settings_.admission != Admission::kPush || now < next_fill_at_) return;
  if (counted_.Count() == 0) return;
  for (auto allowed = Allowed(now); allowed > 0; --allowed) {
    const auto first = counted_.First();
    if (first == Line::kNone) break;
    Admit(NumberAt(first), now);
  }
  next_fill_at_ = now + settings_.admit_interval;
}

void WaitingRoom::EndPlace(PlaceNumber number, Ending ending, Time now) {
  auto& place = *places_.Find(number);
  const bool was_inside = place.entered;
  bool no_show = false;
  if (const auto slot = slots_.find(number); slot != slots_.end()) {
    no_show = !slot->second.arrived && ending == Ending::kExpired;
    if (no_show && settings_.rate_per_minute && no_shows_ < *settings_.rate_per_minute) ++no_shows_;
    slots_.erase(slot);
  }
  turns_.erase(number);
  waiting_.Clear(place.order);
  counted_.Clear(place.order);
  places_.Remove(number);
  Changed(RoomChange::Kind::kEnded, number, now);
  changes_.back().ending = ending;
  changes_.back().was_inside = was_inside;
  changes_.back().no_show = no_show;
}

void WaitingRoom::Changed(RoomChange::Kind kind, PlaceNumber number, Time now) {
  changes_.push_back({kind, number, now});
}

Serving WaitingRoom::Summary() const {
  return {serving_, waiting_.Count(), entered(), settings_.capacity, state_};
}

std::size_t WaitingRoom::bytes() const {
  return sizeof *this + places_.bytes() + waiting_.bytes() + counted_.bytes() + timers_.bytes() +
         slots_.size() * (sizeof(Slot) + 32) + turns_.size() * 48;
}

}  // namespace maejin
