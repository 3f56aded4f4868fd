#include "domain/waiting_room/settings.h"

#include <algorithm>

#include "base/json_text.h"
#include "domain/waiting_room/floating.h"

namespace maejin {

std::string_view Name(Admission admission) { return admission == Admission::kClaim ? "claim" : "push"; }

std::string_view Name(PreQueueOrder order) { return order == PreQueueOrder::kDraw ? "draw" : "arrival"; }

std::string_view Name(RoomState state) {
  switch (state) {
    case RoomState::kScheduled:
      return "scheduled";
    case RoomState::kPreQueue:
      return "pre-queue";
    case RoomState::kOpen:
      return "open";
    case RoomState::kPaused:
      return "paused";
    case RoomState::kClosed:
      return "closed";
  }
  return "open";
}

namespace {

// When the pre-queue begins. The room of a concert without an opening has none, whatever time is set.
std::optional<Time> PreQueueAt(const RoomSettings& settings) {
  const bool follows_concert = settings.followed > 0;
  if (follows_concert && !settings.opens_at) return {};
  return settings.pre_queue_at;
}

}  // namespace

Time NextPhaseAt(const RoomSettings& settings, RoomState state) {
  auto next = Time::max();
  const auto consider = [&](const std::optional<Time>& at) { next = std::min(next, at.value_or(next)); };
  if (state == RoomState::kScheduled) consider(PreQueueAt(settings));
  if (state == RoomState::kScheduled || state == RoomState::kPreQueue) consider(settings.opens_at);
  if (state != RoomState::kClosed) consider(settings.closes_at);
  return next;
}

RoomState DuePhase(const RoomSettings& settings, RoomState state, Time now) {
  const auto due = [now](const std::optional<Time>& at) { return at && *at <= now; };
  const bool before_opening = state == RoomState::kScheduled || state == RoomState::kPreQueue;
  if (before_opening && due(settings.opens_at)) return RoomState::kOpen;
  if (state == RoomState::kScheduled && due(PreQueueAt(settings))) return RoomState::kPreQueue;
  if (state != RoomState::kClosed && due(settings.closes_at)) return RoomState::kClosed;
  return state;
}

namespace {

bool MayFollow(RoomState from, RoomState to) {
  if (from == to) return true;
  switch (from) {
    // `scheduled` may follow a pre-queue if the opening moved: places and the draw's seed are kept until the
    // pre-queue goes on.
    case RoomState::kScheduled:
    case RoomState::kPreQueue:
      return to != RoomState::kPaused;
    // A pre-queue may follow: earlier waiters stay ahead of its draw.
    case RoomState::kOpen:
    case RoomState::kPaused:
      return to != RoomState::kScheduled;
    case RoomState::kClosed:
      return to != RoomState::kPaused;
  }
  return false;
}

}  // namespace

Outcome<Done> CheckPhase(RoomState from, const RoomPatch& patch) {
  if (!patch.state || MayFollow(from, *patch.state)) return Done{};
  const auto to = std::string(Name(*patch.state));
  return Refused{Refusal::kInvalidField, "state: " + to + " cannot follow " + std::string(Name(from))};
}

Refused TooManyJoins(const RoomSettings& settings) {
  const auto limit = std::max(settings.joins_per_address_per_minute.value_or(0), 1U);
  const Quota joins{.name = "joins", .limit = limit, .window_seconds = 60};
  Refused refused(Refusal::kTooManyRequests, joins, "joins from this address");
  refused.retry_after_seconds = 60 / limit + 1;
  return refused;
}

RoomSettings DefaultSettings(std::string_view room) {
  RoomSettings settings;
  settings.joins_per_address_per_minute = kDefaultJoinsPerAddress;
  if (IsOwnRoom(room)) settings.site.visitors = Visitors::kAnonymous;
  if (room != kMainRoom) return settings;
  settings.admission = Admission::kPush;
  settings.capacity = 100;
  settings.token_ttl = Seconds{600};
  settings.session_limit = Seconds{600};
  return settings;
}

RoomSettings Apply(RoomSettings settings, const RoomPatch& patch) {
  const auto take = [](auto& field, const auto& change) {
    if (change) field = *change;
  };
  take(settings.capacity, patch.capacity);
  take(settings.admission, patch.admission);
  take(settings.rate_per_minute, patch.rate_per_minute);
  take(settings.token_ttl, patch.token_ttl);
  take(settings.session_limit, patch.session_limit);
  take(settings.turn, patch.turn);
  take(settings.grace, patch.grace);
  take(settings.admit_interval, patch.admit_interval);
  take(settings.release_on_payment, patch.release_on_payment);
  take(settings.draining, patch.draining);
  take(settings.joins_per_address_per_minute, patch.joins_per_address_per_minute);
  take(settings.pre_queue_at, patch.pre_queue_at);
  take(settings.opens_at, patch.opens_at);
  take(settings.closes_at, patch.closes_at);
  take(settings.notice, patch.notice);
  take(settings.order, patch.order);
  take(settings.followed, patch.followed);
  take(settings.ended, patch.ended);
  take(settings.site.title, patch.title);
  take(settings.site.return_urls, patch.return_urls);
  take(settings.site.visitors, patch.visitors);
  take(settings.site.verify, patch.verify);
  take(settings.site.standby, patch.standby);
  take(settings.site.floating, patch.floating);
  if (settings.site.floating)
    settings.rate_per_minute = ClampRate(settings.rate_per_minute, *settings.site.floating);
  if (settings.site.verify == Verification::kOffline) settings.token_ttl = settings.session_limit;
  return settings;
}

bool ChangesFlow(const RoomSettings& before, const RoomSettings& after) {
  if (before.capacity != after.capacity || before.admission != after.admission) return true;
  const bool floats = before.site.floating && after.site.floating;
  return !floats && before.rate_per_minute != after.rate_per_minute;
}

RoomState FirstState(const RoomPatch& patch, Time now) {
  if (patch.state) return *patch.state;
  const bool opens_later = patch.opens_at && *patch.opens_at && **patch.opens_at > now;
  return opens_later ? RoomState::kScheduled : RoomState::kOpen;
}

namespace {

// Whether the room was closed by its concert or its time, not by the operator.
bool ClosedBySale(const RoomSettings& settings, Time now) {
  return settings.ended || (settings.closes_at && *settings.closes_at <= now);
}

RoomState StateToFollow(const RoomSettings& settings, RoomState state, const SalePlan& plan,
                        const std::optional<Time>& pre_queue_at, Time now) {
  if (plan.ended) return RoomState::kClosed;
  if (state == RoomState::kClosed && !ClosedBySale(settings, now)) return state;
  if (plan.opens_at && *plan.opens_at <= now) return state == RoomState::kPaused ? state : RoomState::kOpen;
  // The opening moved to a later time. In the pre-queue joins continue, and no place is admitted.
  if (state == RoomState::kOpen || state == RoomState::kPaused) return RoomState::kPreQueue;
  const bool has_begun = plan.opens_at && pre_queue_at && *pre_queue_at <= now;
  return has_begun ? RoomState::kPreQueue : RoomState::kScheduled;
}

}  // namespace

RoomPatch FollowPatch(const RoomSettings& settings, RoomState state, const SalePlan& plan, Time now) {
  RoomPatch patch;
  patch.followed = plan.version;
  patch.ended = plan.ended;
  patch.opens_at = plan.opens_at;
  patch.closes_at = plan.closes_at;
  const auto& named = plan.pre_queue;
  if (settings.followed < named.order.life) patch.order = named.order.value;
  const bool is_named_now = settings.followed < named.at.life;
  if (is_named_now) patch.pre_queue_at = named.at.value;
  // A time that neither the concert nor the operator named follows the opening.
  const bool has_default =
      !named.at.value &&
      (!settings.pre_queue_at ||
       (settings.opens_at && *settings.pre_queue_at == *settings.opens_at - kPreQueueBefore));
  const bool moves = has_default && plan.opens_at != settings.opens_at;
  if (is_named_now ? !named.at.value : moves) {
    patch.pre_queue_at.emplace();
    if (plan.opens_at) *patch.pre_queue_at = *plan.opens_at - kPreQueueBefore;
  }
  const auto pre_queue_at = patch.pre_queue_at ? *patch.pre_queue_at : settings.pre_queue_at;
  const auto next = StateToFollow(settings, state, plan, pre_queue_at, now);
  if (next != state) patch.state = next;
  return patch;
}

RoomPatch OperatorPatch(const RoomSettings& settings, RoomPatch patch, Time now) {
  const auto remove_past = [&](const std::optional<Time>& at, std::optional<std::optional<Time>>& named) {
    if (at && *at <= now && !named) named.emplace();
  };
  const bool scheduled = patch.state == RoomState::kScheduled;
  if (scheduled || patch.state == RoomState::kPreQueue) remove_past(settings.opens_at, patch.opens_at);
  if (scheduled) remove_past(settings.pre_queue_at, patch.pre_queue_at);
  return patch;
}

std::optional<RoomPatch> ResolvePatch(const RoomSettings& settings, RoomState state, RoomPatch patch,
                                      Time now) {
  if (patch.follow) {
    if (patch.follow->version <= settings.followed) return {};
    return FollowPatch(settings, state, *patch.follow, now);
  }
  if (!patch.float_load) return OperatorPatch(settings, std::move(patch), now);
  const auto& floating = settings.site.floating;
  if (!floating) return {};
  RoomPatch step;
  step.rate_per_minute.emplace(NextRate(settings.rate_per_minute, *floating, *patch.float_load));
  if (*step.rate_per_minute == settings.rate_per_minute) return {};
  return step;
}

std::string Describe(const RoomPatch& patch) {
  return JsonObjectText([&](JsonWriter& json) {
    JsonChanges changes(json);
    changes.Field("capacity", patch.capacity);
    changes.Named("admission", patch.admission);
    changes.Removable("ratePerMinute", patch.rate_per_minute);
    changes.Count("tokenTtlSeconds", patch.token_ttl);
    changes.Count("sessionLimitSeconds", patch.session_limit);
    changes.Count("turnSeconds", patch.turn);
    changes.Count("graceSeconds", patch.grace);
    changes.Count("admitIntervalMs", patch.admit_interval);
    changes.Field("releaseOnPayment", patch.release_on_payment);
    changes.Field("draining", patch.draining);
    changes.Removable("joinsPerAddressPerMinute", patch.joins_per_address_per_minute);
    changes.Removable("preQueueAt", patch.pre_queue_at);
    changes.Removable("opensAt", patch.opens_at);
    changes.Removable("closesAt", patch.closes_at);
    changes.Named("order", patch.order);
    changes.Field("notice", patch.notice);
    changes.Field("title", patch.title);
    if (patch.return_urls) {
      json.Array("returnUrls", [&] {
        for (const auto& url : *patch.return_urls) json.Element(url);
      });
    }
    changes.Named("visitors", patch.visitors);
    changes.Named("verify", patch.verify);
    if (patch.standby) json.Field("standby", StandbyText(*patch.standby));
    if (patch.floating) json.Field("floating", FloatingText(*patch.floating));
    changes.Named("state", patch.state);
  });
}

}  // namespace maejin
