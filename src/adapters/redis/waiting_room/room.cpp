#include "adapters/redis/waiting_room/room.h"

#include <algorithm>

#include "base/log.h"
#include "domain/waiting_room/poll_pacing.h"

namespace maejin::redis {
namespace {

// A mirror without polls for this long is updated only by the ticks of the room.
constexpr Millis kFollowed{5000};
// After this time without an update, the node does not know whether another node mirrors the room.
constexpr Millis kKnowsNodes{5000};

}  // namespace

// Answers.

// Adds the values that are the same for all fans of the room.
void Room::Complete(PlaceAnswer& answer, Time now) const {
  const auto& info = record_->info;
  answer.state = info.serving.state;
  answer.notice = notice_;
  answer.token_ttl = info.settings.token_ttl;
  auto& standing = answer.standing;
  if (standing.status == PlaceStatus::kReady) standing.eta = Eta{};
  if (standing.status == PlaceStatus::kWaiting && standing.rank && answer.state == RoomState::kOpen)
    standing.eta = mirror_.UntilEntered(*standing.rank, now);
}

std::optional<PlaceAnswer> Room::Poll(const PlaceView& place, Time now, bool is_sign) {
  const std::lock_guard lock(mutex_);
  polled_at_ = std::max(polled_at_, now);
  const auto number = place.number;
  if (!mirror_.loaded() || number == 0 || place.epoch > mirror_.epoch()) return {};
  if (!is_away_ && (now - synced_at_ > kMaxAge || !mirror_.Has(number) || !mirror_.IsCounted(number)))
    return {};
  if (is_away_ && !mirror_.Counts(number)) return {};
  const auto& [settings, state] = std::tie(record_->info.settings, record_->info.serving.state);
  PlaceAnswer answer;
  auto& standing = answer.standing;
  answer.epoch = mirror_.epoch();
  standing.number = number;
  standing.rank = mirror_.RankOf(number, now);
  if (!is_away_) {
    const bool may_be_ready = state == RoomState::kOpen && settings.admission == Admission::kClaim;
    if (may_be_ready && !mirror_.IsFar(number, settings.capacity)) return {};
    if (!standing.rank && state != RoomState::kPreQueue && state != RoomState::kScheduled) return {};
  }
  Complete(answer, now);
  if (is_away_) {
    answer.state = RoomState::kPaused;
    if (nodes_ != 1 || age_when_away_ > kKnowsNodes) standing.rank = {};
    standing.eta = {};
    standing.poll_after = standing.poll_interval = pacing::kWhilePaused;
  } else {
    Pace(standing, state, settings, now);
  }
  ++stats_.polls;
  if (is_sign) signs_.RecordPoll(number, place.user, now, standing.poll_interval);
  return answer;
}

PlaceAnswer Room::AnswerOf(const FanReply& fan, bool is_poll, Time now) {
  const std::lock_guard lock(mutex_);
  PlaceAnswer answer;
  auto& standing = answer.standing;
  answer.epoch = mirror_.epoch();
  answer.first = fan.is_new;
  standing.status = static_cast<PlaceStatus>(fan.status);
  standing.number = fan.number;
  standing.ends_at = fan.ends_at;
  if (standing.status == PlaceStatus::kEntered) {
    standing.rank = 0;
    standing.entered_at = fan.entered_at;
    standing.session_ends_at = fan.entered_at + record_->info.settings.session_limit;
  } else {
    standing.rank = mirror_.RankOf(fan.number, now);
    if (is_poll || fan.is_new) signs_.RecordWrittenPoll(fan.number, now, fan.interval);
  }
  Pace(standing, fan.interval, now);
  Complete(answer, now);
  if (is_poll) ++stats_.polls;
  known_.highest = std::max(known_.highest, fan.number);
  return answer;
}

PlaceAnswer Room::AnswerAway(const PlaceRef& place, const AdmissionRecord* admission, Time now) {
  const std::lock_guard lock(mutex_);
  PlaceAnswer answer;
  auto& standing = answer.standing;
  answer.epoch = place.epoch;
  standing.number = place.number;
  standing.poll_after = standing.poll_interval = pacing::kWhilePaused;
  if (admission != nullptr) {
    standing.status = PlaceStatus::kEntered;
    standing.rank = 0;
    standing.entered_at = admission->entered_at;
    standing.session_ends_at = admission->session_ends_at;
    standing.ends_at = standing.session_ends_at;
  }
  Complete(answer, now);
  if (admission == nullptr) answer.state = RoomState::kPaused;
  return answer;
}

Serving Room::ServingHere() const {
  const auto& info = record_->info;
  const auto& settings = info.settings;
  return {serving_, mirror_.waiting(), entered_, settings.capacity, info.serving.state, settings.order};
}

std::optional<Serving> Room::ServingNow(Time now) {
  const std::lock_guard lock(mutex_);
  polled_at_ = std::max(polled_at_, now);
  if (!mirror_.loaded() || (!is_away_ && now - synced_at_ > kMaxAge)) return {};
  return ServingHere();
}

// Updates from Redis and from tokens.

Room::Knowledge Room::known() const {
  const std::lock_guard lock(mutex_);
  auto known = known_;
  if (mirror_.loaded() && mirror_.epoch() == known.epoch) known.mirror_at = mirror_.changes();
  return known;
}

void Room::LearnFromToken(PlaceNumber number, std::uint32_t epoch) {
  const std::lock_guard lock(mutex_);
  Learn(number, epoch, 0);
}

void Room::Learn(PlaceNumber number, std::uint32_t epoch, std::uint32_t changes) {
  known_.highest = std::max(known_.highest, number);
  std::tie(known_.epoch, known_.changes) =
      std::max(std::pair(known_.epoch, known_.changes), std::pair(epoch, changes));
}

bool Room::Follow(const RoomHead& head, Time now) {
  const std::lock_guard lock(mutex_);
  is_away_ = false;
  Learn(0, head.epoch, head.changes);
  if (!mirror_.loaded() || head.epoch != mirror_.epoch()) return head.epoch < mirror_.epoch();
  if (head.version > record_->version) return false;
  for (const auto& entry : head.log.value_or(std::vector<std::string>())) {
    if (!mirror_.Follow(entry, stats_)) return false;
  }
  if (head.changes > mirror_.changes()) return false;
  known_.highest = std::max(known_.highest, mirror_.last_number());
  synced_at_ = std::max(synced_at_, now);
  if (head.changes < mirror_.changes()) return true;
  if (!mirror_.Fits(head.waiting, head.line_sum)) {
    LogError("redis: the mirror of room {} differs from the room at change {}; reading the room again", name_,
             head.changes);
    mirror_ = Mirror();
    return false;
  }
  serving_ = head.serving;
  entered_ = head.entered;
  nodes_ = head.nodes;
  return true;
}

bool Room::IsUpToDate(const RoomHead& head, Time now) {
  const std::lock_guard lock(mutex_);
  const bool same = mirror_.loaded() && head.epoch == mirror_.epoch() && head.changes == mirror_.changes() &&
                    head.version == record_->version;
  if (same) synced_at_ = std::max(synced_at_, now);
  return same;
}

bool Room::Load(RoomRecord record, LineBefore& before, Time now) {
  const std::lock_guard lock(mutex_);
  const bool was_lost = mirror_.loaded() && record.info.epoch > mirror_.epoch() && record.IsSettling(now);
  if (was_lost && before.nodes == 0) {
    before = {std::max(nodes_, 1U), mirror_.LineBits()};
    return false;
  }
  if (record_ && IsOlder(record, *record_)) return false;
  if (!mirror_.Load(record, now)) return false;
  const auto& info = record.info;
  Learn(info.last_number, info.epoch, record.changes);
  serving_ = info.serving.serving;
  entered_ = info.serving.entered;
  nodes_ = record.nodes;
  synced_at_ = std::max(synced_at_, now);
  is_away_ = false;
  const auto& notice = info.settings.notice;
  notice_ = notice.empty() ? nullptr : std::make_shared<const std::string>(notice);
  record.line = record.skips = record.before = std::string();
  record_ = std::make_shared<const RoomRecord>(std::move(record));
  return true;
}

void Room::LoadUnrecovered(RoomRecord record) {
  const std::lock_guard lock(mutex_);
  if (!record_) record_ = std::make_shared<const RoomRecord>(std::move(record));
}

Room::RecordPtr Room::record() const {
  const std::lock_guard lock(mutex_);
  return record_;
}

RoomInfo Room::info() const {
  const std::lock_guard lock(mutex_);
  auto info = record_->info;
  if (!mirror_.loaded()) return info;
  info.serving = ServingHere();
  info.last_number = mirror_.last_number();
  return info;
}

RoomStats Room::stats() const {
  const std::lock_guard lock(mutex_);
  auto stats = stats_;
  stats.room = name_;
  if (record_) stats.serving = ServingHere();
  return stats;
}

bool Room::IsSettling(Time now) const {
  const std::lock_guard lock(mutex_);
  return record_ && record_->IsSettling(now);
}

void Room::SetAway(Time now) {
  const std::lock_guard lock(mutex_);
  if (!is_away_) age_when_away_ = now - synced_at_;
  is_away_ = true;
}

bool Room::IsFollowed(Time now) const {
  const std::lock_guard lock(mutex_);
  return now < polled_at_ + kFollowed;
}

SignsOfLife::Batch Room::TakeSigns(Time now) {
  const std::lock_guard lock(mutex_);
  if (is_away_) return {};
  if (record_) signs_.Forget(now - record_->info.settings.grace);
  return signs_.Take(now);
}

void Room::ReturnSigns(SignsOfLife::Batch batch, Time now) {
  const std::lock_guard lock(mutex_);
  signs_.Return(std::move(batch), now);
}

// All rooms of the node.

Room* Rooms::Find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = rooms_.find(name);
  return found == rooms_.end() ? nullptr : found->second.get();
}

Room& Rooms::Add(const RoomId& name) {
  const std::unique_lock lock(mutex_);
  auto& room = rooms_[name];
  if (!room) room = std::make_unique<Room>(name);
  return *room;
}

void Rooms::Retire(std::string_view name) {
  const std::unique_lock lock(mutex_);
  const auto found = rooms_.find(name);
  if (found == rooms_.end()) return;
  retired_.push_back(std::move(found->second));
  rooms_.erase(found);
}

std::vector<Room*> Rooms::All() const {
  const std::shared_lock lock(mutex_);
  std::vector<Room*> all;
  for (const auto& [name, room] : rooms_) all.push_back(room.get());
  return all;
}

}  // namespace maejin::redis
