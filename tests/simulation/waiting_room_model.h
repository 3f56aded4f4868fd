// The model: the rules of docs/waiting-room.md as simply as possible, with one list of fans in line order and
// linear searches. Shares no code with domain/waiting_room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace maejin::simulation {

using Ms = std::int64_t;

struct ModelSettings {
  std::int64_t capacity = 3;
  bool push = false;
  std::optional<std::int64_t> rate;  // entries a minute
  Ms ttl = 300'000;
  Ms session = 1'800'000;
  Ms turn = 60'000;
  Ms grace = 600'000;
  enum class State { kOpen, kPaused, kClosed } state = State::kOpen;
};

struct ModelFan {
  int user = 0;
  std::int64_t number = 0;
  Ms seen = 0;
  Ms interval = 0;  // poll interval of the last answer
  bool passed = false;
  std::optional<Ms> turn_until;
  bool inside = false;
  bool arrived = false;  // seen inside
  Ms entered = 0;
  Ms renewed = 0;
};

class WaitingRoomModel {
 public:
  ModelSettings settings;

  // Applies everything that is due at `now`.
  void Advance(Ms now) {
    for (const auto& fan : fans_) {
      const bool no_show = fan.inside && now >= SlotEnd(fan) && !fan.arrived;
      if (no_show && settings.rate) no_shows_ = std::min(no_shows_ + 1, *settings.rate);
    }
    std::erase_if(fans_, [&](const ModelFan& fan) { return fan.inside && now >= SlotEnd(fan); });
    std::erase_if(fans_, [&](const ModelFan& fan) {
      return !fan.inside && !Present(fan, now) && now >= fan.seen + settings.grace;
    });
    for (auto& fan : fans_) {
      if (fan.inside || !fan.turn_until || now < *fan.turn_until) continue;
      const bool was_ready = Ready(fan, now);
      fan.turn_until.reset();
      if (was_ready) fan.passed = true;
    }
    Fill(now);
    Gather(now);
  }

  ModelFan* Find(int user) {
    const auto found = std::find_if(fans_.begin(), fans_.end(), [&](auto& fan) { return fan.user == user; });
    return found == fans_.end() ? nullptr : &*found;
  }

  // "" on success, else the code of the refusal.
  std::string Join(int user, Ms now) {
    Advance(now);
    if (!Find(user)) {
      if (settings.state == ModelSettings::State::kClosed) return "room-closed";
      ModelFan fan;
      fan.user = user;
      fan.number = ++last_number_;
      fan.seen = now;
      fan.interval = 1000;  // counts as present until its first answer
      fans_.push_back(fan);
      Fill(now);
    }
    return Poll(user, now);
  }

  std::string Poll(int user, Ms now) {
    Advance(now);
    auto* fan = Find(user);
    if (!fan) return "not-queued";
    See(*fan, now);
    Fill(now);
    if (!fan->inside && Ready(*fan, now) && !fan->turn_until) fan->turn_until = now + settings.turn;
    return "";
  }

  std::string Enter(int user, Ms now) {
    Advance(now);
    auto* fan = Find(user);
    if (!fan) return "not-queued";
    See(*fan, now);
    fan->passed = false;
    Fill(now);
    if (fan->inside) return "";
    if (settings.state == ModelSettings::State::kClosed) return "room-closed";
    if (!Ready(*fan, now)) return "not-your-turn";
    GoIn(*fan, now);
    fan->arrived = true;
    return "";
  }

  void Leave(int user, Ms now) {
    Advance(now);
    std::erase_if(fans_, [&](const ModelFan& fan) { return fan.user == user; });
    Fill(now);
  }

  void Configure(const ModelSettings& wanted, Ms now) {
    Advance(now);
    if (wanted.push != settings.push) {
      for (auto& fan : fans_) {
        fan.passed = false;
        fan.turn_until.reset();
      }
    }
    if (wanted.state != settings.state) saved_ = std::min(saved_, kOne);
    if (wanted.state == ModelSettings::State::kClosed) {
      for (auto& fan : fans_) fan.turn_until.reset();
    }
    if (!wanted.rate) no_shows_ = 0;
    settings = wanted;
    Advance(now);
  }

  bool Ready(const ModelFan& asked, Ms now) const {
    if (settings.push || settings.state == ModelSettings::State::kClosed) return false;
    std::int64_t turns = 0, turns_before = 0, next = 0, next_before = 0;
    bool is_before = true;
    for (const auto& fan : fans_) {
      if (fan.user == asked.user) is_before = false;
      const bool is_next = !fan.inside && !fan.turn_until && Present(fan, now) && !fan.passed;
      const bool has_turn = !fan.inside && fan.turn_until;
      turns += has_turn;
      next += is_next;
      turns_before += is_before && has_turn;
      next_before += is_before && is_next;
    }
    if (asked.turn_until) return turns_before < settings.capacity - Inside();
    if (settings.state != ModelSettings::State::kOpen) return false;
    return (asked.passed ? next : next_before) < Allowed(now) - turns;
  }
  // The number of fans that may enter now.
  std::int64_t Allowed(Ms now) const {
    const auto free = settings.capacity - Inside();
    if (!settings.rate) return free;
    return std::min(free, Saved(now) / kOne + no_shows_);
  }
  std::string Status(const ModelFan& fan, Ms now) const {
    if (fan.inside) return "entered";
    return Ready(fan, now) ? "ready" : "waiting";
  }
  std::int64_t Rank(const ModelFan& asked) const {
    if (asked.inside) return 0;
    std::int64_t before = 0;
    for (const auto& fan : fans_) {
      if (fan.user == asked.user) break;
      before += fan.inside ? 0 : 1;
    }
    return before;
  }
  std::int64_t Inside() const {
    return std::count_if(fans_.begin(), fans_.end(), [](auto& fan) { return fan.inside; });
  }
  const std::vector<ModelFan>& fans() const { return fans_; }

 private:
  static bool Present(const ModelFan& fan, Ms now) { return now < fan.seen + 3 * fan.interval; }
  Ms SlotEnd(const ModelFan& fan) const {
    return std::min(fan.renewed + settings.ttl, fan.entered + settings.session);
  }
  void See(ModelFan& fan, Ms now) {
    if (!fan.inside && !Present(fan, now)) fan.passed = false;
    fan.seen = now;
    if (fan.inside) fan.renewed = now;
    fan.arrived = fan.inside;
  }
  void GoIn(ModelFan& fan, Ms now) {
    Gather(now);
    if (no_shows_ > 0) {
      --no_shows_;
    } else if (settings.rate) {
      saved_ -= kOne;
    }
    fan.inside = true;
    fan.arrived = false;
    fan.turn_until.reset();
    fan.entered = fan.renewed = now;
  }
  // The credit of the rate, in 1/60,000 of an entry. At most one entry accrues, or one turn's entries while
  // an eligible fan waits.
  std::int64_t Saved(Ms now) const {
    const bool waited_for = std::any_of(fans_.begin(), fans_.end(), [&](const ModelFan& fan) {
      return !fan.inside && (Present(fan, now) || fan.turn_until) && !fan.passed;
    });
    const auto most = !settings.push && waited_for ? std::max(kOne, *settings.rate * settings.turn) : kOne;
    return std::min(most, saved_ + (now - saved_at_) * *settings.rate);
  }
  void Gather(Ms now) {
    if (settings.rate) saved_ = Saved(now);
    saved_at_ = now;
  }
  void Fill(Ms now) {
    if (!settings.push || settings.state != ModelSettings::State::kOpen) return;
    for (auto& fan : fans_) {
      if (Allowed(now) <= 0) return;
      if (!fan.inside && Present(fan, now) && !fan.passed) GoIn(fan, now);
    }
  }

  static constexpr std::int64_t kOne = 60'000;

  std::vector<ModelFan> fans_;  // in the order of the line
  std::int64_t saved_ = kOne;
  Ms saved_at_ = 0;
  std::int64_t no_shows_ = 0;  // admitted and never seen inside: each allows one more entry
  std::int64_t last_number_ = 0;
};

}  // namespace maejin::simulation
