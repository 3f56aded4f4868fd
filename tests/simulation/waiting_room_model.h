// The rules of docs/waiting-room.md, written a second time and as simply as they can be said: one list of
// fans in the order of the line, everything found by walking it. Shares no code with domain/waiting_room.
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
  Ms interval = 0;  // asked to poll again after so long
  bool passed = false;
  std::optional<Ms> turn_until;
  bool inside = false;
  Ms entered = 0;
  Ms renewed = 0;
};

class WaitingRoomModel {
 public:
  ModelSettings settings;

  // What has become true by `now`.
  void Advance(Ms now) {
    std::erase_if(fans_, [&](const ModelFan& fan) { return fan.inside && now >= SlotEnd(fan); });
    std::erase_if(fans_, [&](const ModelFan& fan) {
      return !fan.inside && !Present(fan, now) && now >= fan.seen + settings.grace;
    });
    for (auto& fan : fans_) {
      if (fan.inside || !fan.turn_until || now < *fan.turn_until) continue;
      fan.turn_until.reset();
      if (Ready(fan, now)) fan.passed = true;
    }
    Fill(now);
  }

  ModelFan* Find(int user) {
    const auto found = std::find_if(fans_.begin(), fans_.end(), [&](auto& fan) { return fan.user == user; });
    return found == fans_.end() ? nullptr : &*found;
  }

  // "" where it worked.
  std::string Join(int user, Ms now) {
    Advance(now);
    if (!Find(user)) {
      if (settings.state == ModelSettings::State::kClosed) return "room-closed";
      ModelFan fan;
      fan.user = user;
      fan.number = ++last_number_;
      fan.seen = now;
      fan.interval = 1000;  // present, whatever it will be told
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
    if (!fan->inside && !fan->passed && Ready(*fan, now) && !fan->turn_until)
      fan->turn_until = now + settings.turn;
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
    settings = wanted;
    Advance(now);
  }

  bool Ready(const ModelFan& asked, Ms now) const {
    if (settings.push || settings.state != ModelSettings::State::kOpen) return false;
    std::int64_t before = 0;
    for (const auto& fan : fans_) {
      if (fan.user == asked.user) break;
      before += !fan.inside && Present(fan, now) && !fan.passed ? 1 : 0;
    }
    return before < settings.capacity - Inside();
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
  }
  void GoIn(ModelFan& fan, Ms now) {
    fan.inside = true;
    fan.turn_until.reset();
    fan.entered = fan.renewed = now;
  }
  void Fill(Ms now) {
    if (!settings.push || settings.state != ModelSettings::State::kOpen) return;
    for (auto& fan : fans_) {
      if (Inside() >= settings.capacity) return;
      if (!fan.inside && Present(fan, now) && !fan.passed) GoIn(fan, now);
    }
  }

  std::vector<ModelFan> fans_;  // in the order of the line
  std::int64_t last_number_ = 0;
};

}  // namespace maejin::simulation
