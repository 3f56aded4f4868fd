// Phases, settings, and coming back from the disk.
#include <algorithm>

#include "domain/waiting_room/poll_pacing.h"
#include "domain/waiting_room/waiting_room.h"

namespace maejin {

void WaitingRoom::StepPhases(Time now) {
  const auto due = [now](const std::optional<Time>& at) { return at && *at <= now; };
  if (state_ == RoomState::kScheduled && due(settings_.pre_queue_at) && !due(settings_.opens_at)) {
    GoTo(RoomState::kPreQueue, now);
  }
  if ((state_ == RoomState::kScheduled || state_ == RoomState::kPreQueue) && due(settings_.opens_at)) {
    GoTo(RoomState::kOpen, now);
  }
  if (state_ != RoomState::kClosed && due(settings_.closes_at)) GoTo(RoomState::kClosed, now);
}

void WaitingRoom::GoTo(RoomState state, Time now) {
  if (state_ == state) return;
  if (state_ == RoomState::kPreQueue) DrawOrder();
  if (state == RoomState::kPreQueue) BeginPreQueue();
  state_ = state;
  outflow_.Reset();
  credit_ = std::min(credit_, pacing::kCreditPerEntry);
  credit_at_ = now;
  Changed(RoomChange::Kind::kRoom, 0, now);
}

void WaitingRoom::BeginPreQueue() {
  Draw draw;
  draw.first = last_number_ + 1;
  random_->Fill(std::as_writable_bytes(std::span{draw.seed}));
  draw.commitment = Commitment(draw.seed);
  draws_.push_back(std::move(draw));
}

// From now on everybody of the pre-queue stands where the draw says.
void WaitingRoom::DrawOrder() {
  auto& draw = draws_.back();
  draw.count = last_number_ + 1 - draw.first;
  const Shuffle shuffle(draw.seed, draw.count);
  draw.order_digest = OrderDigest(shuffle);
  std::vector<PlaceNumber> living;
  waiting_.ForEach(draw.first - 1, last_number_, [&](Line::Index order) { living.push_back(order + 1); });
  for (const auto number : living) {
    waiting_.Clear(number - 1);
    counted_.Clear(number - 1);
  }
  for (const auto number : living) {
    auto& place = *places_.Find(number);
    place.order = draw.first - 1 + shuffle.PositionOf(number - draw.first);
    waiting_.Set(place.order);
    Recount(place);
  }
  shuffles_.push_back({draw.first, shuffle});
}

Outcome<Done> WaitingRoom::Configure(const RoomPatch& patch, Time now) {
  Advance(now);
  if (patch.state && !MayFollow(state_, *patch.state)) {
    return Refused{Refusal::kInvalidField, "state: " + std::string(Name(*patch.state)) + " cannot follow " +
                                               std::string(Name(state_))};
  }
  SettleCredit(now);
  const auto before = std::exchange(settings_, Apply(settings_, patch));
  const bool other_flow = before.capacity != settings_.capacity || before.admission != settings_.admission ||
                          before.rate_per_minute != settings_.rate_per_minute;
  if (other_flow) outflow_.Reset();
  if (!settings_.rate_per_minute) no_shows_ = 0;
  if (before.admission != settings_.admission) ForgetTurns();
  if (patch.state) GoTo(*patch.state, now);
  if (before.token_ttl > settings_.token_ttl || before.session_limit > settings_.session_limit ||
      before.grace > settings_.grace) {
    RearmAll();
  }
  Changed(RoomChange::Kind::kRoom, 0, now);
  next_fill_at_ = std::min<Time>(next_fill_at_, now + settings_.admit_interval);
  due_ = now;
  Advance(now);
  return Done{};
}

// Another way in: who let a turn pass in the old one has let none pass in the new one.
void WaitingRoom::ForgetTurns() {
  turns_.clear();
  waiting_.ForEach(0, Line::kNone, [&](Line::Index order) {
    auto& place = *places_.Find(NumberAt(order));
    place.passed = false;
    Recount(place);
  });
}

// Shorter lives: the timers that are armed would fire too late.
void WaitingRoom::RearmAll() {
  for (const auto& [number, slot] : slots_) ArmPlace(*places_.Find(number), number, SlotEndsAt(slot));
  waiting_.ForEach(0, Line::kNone, [&](Line::Index order) {
    const auto number = NumberAt(order);
    auto& place = *places_.Find(number);
    ArmPlace(place, number, place.present ? AbsentAt(place) : GraceEndsAt(place));
  });
}

void WaitingRoom::Restore(PlaceNumber last_number, PlaceNumber serving, std::vector<Draw> draws) {
  last_number_ = last_number;
  serving_ = serving;
  draws_ = std::move(draws);
  for (const auto& draw : draws_) {
    if (draw.drawn()) shuffles_.push_back({draw.first, Shuffle(draw.seed, draw.count)});
  }
}

void WaitingRoom::RestorePlace(PlaceNumber number, const UserKey& user, std::optional<Time> entered_at,
                               Time now) {
  auto& place = places_.Add(number, user);
  last_number_ = std::max(last_number_, number);
  place.order = number - 1;
  for (const auto& drawn : shuffles_) {
    if (number < drawn.first || number - drawn.first >= drawn.shuffle.count()) continue;
    place.order = drawn.first - 1 + drawn.shuffle.PositionOf(number - drawn.first);
  }
  place.present = true;
  place.seen_ms = static_cast<std::uint64_t>(ToMillis(now)) & kSeenMask;
  if (entered_at) {
    place.entered = true;
    const auto& slot = slots_.emplace(number, Slot{*entered_at, now, true}).first->second;
    return ArmPlace(place, number, SlotEndsAt(slot));
  }
  waiting_.Set(place.order);
  counted_.Set(place.order);
  // It will ask again by the interval it was told before the restart, which may have been the longest.
  place.poll_tenths = kRestoredPollTenths;
  ArmPlace(place, number, AbsentAt(place));
}

}  // namespace maejin
