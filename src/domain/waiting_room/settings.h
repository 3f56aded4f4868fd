// The settings and phases of a waiting room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/refusal.h"
#include "domain/waiting_room/pre_queue.h"
#include "domain/waiting_room/site_settings.h"
#include "domain/words.h"

namespace maejin {

// How a free slot is given: a ready fan calls enter (claim), or the server admits the first in line (push).
enum class Admission : std::uint8_t { kClaim, kPush };

enum class RoomState : std::uint8_t {
  kScheduled,  // joins are refused until the pre-queue or the opening; places of a pre-queue are kept
  kPreQueue,   // joins are accepted, no place is admitted (PreQueueOrder: how places are ordered)
  kOpen,
  kPaused,  // joins continue, no place is admitted
  kClosed,  // no joins and no admissions; slots stay until they end
};

std::string_view Name(Admission admission);
std::string_view Name(RoomState state);
constexpr Admission Last(Admission) { return Admission::kPush; }
constexpr RoomState Last(RoomState) { return RoomState::kClosed; }

struct RoomSettings {
  // The maximum of slots. Lowering it ends no slot, and stops admission until enough slots have ended.
  std::uint32_t capacity = 800;
  Admission admission = Admission::kClaim;
  // Entries per minute, evenly spaced; absent: only the capacity limits.
  std::optional<std::uint32_t> rate_per_minute = {};
  // A slot ends this long after the last poll of its fan.
  Seconds token_ttl{300};
  // A slot ends at the latest this long after the entry.
  Seconds session_limit{1800};
  // A turn passes to the next place this long after the fan received "ready".
  Seconds turn{60};
  // A waiting place ends this long after its last poll.
  Seconds grace{600};
  // Push: the minimum time between two admissions of waiters, each into all free slots; 0: as soon as a slot
  // is free. A fan that joins an empty line does not wait for it.
  Millis admit_interval{0};
  bool release_on_payment = true;
  // New joins are refused; waiting places are still admitted.
  bool draining = false;
  // Joins per minute from one address prefix (/24, /56); absent: no limit.
  std::optional<std::uint32_t> joins_per_address_per_minute = {};
  // Times of phase changes. Absent: only the operator changes the phase.
  std::optional<Time> pre_queue_at = {};
  std::optional<Time> opens_at = {};
  std::optional<Time> closes_at = {};
  // Read when a pre-queue begins: a change during a pre-queue applies to the next one.
  PreQueueOrder order = PreQueueOrder::kDraw;
  // The version of the concert's plan that the room followed last (SalePlan), and whether the sale had ended
  // in it.
  std::int64_t followed = 0;
  bool ended = false;
  // A text shown to every fan in the room; empty: none.
  std::string notice = {};
  // The site behind the room.
  SiteSettings site = {};

  friend bool operator==(const RoomSettings&, const RoomSettings&) = default;
};

// When the next phase begins by the room's times; Time::max(): never.
Time NextPhaseAt(const RoomSettings& settings, RoomState state);
// Returns the phase that follows `state` by the room's times if that phase has begun by `now`, and otherwise
// `state`. If the opening and the closing have both passed, the room opens first.
RoomState DuePhase(const RoomSettings& settings, RoomState state, Time now);

// The default of new rooms: enough for a company behind one address, too low to fill a line from one network.
inline constexpr std::uint32_t kDefaultJoinsPerAddress = 1'000;

// The refusal of a join beyond joins_per_address_per_minute. A joined place of the quota is free again after
// its share of the minute.
Refused TooManyJoins(const RoomSettings& settings);

// The settings of a new room: a concert's room, the queue of the whole site (`main`), or one of the
// operator's own. The requirements of the first two differ: docs/requirements.md.
RoomSettings DefaultSettings(std::string_view room);

// The part of a concert that its room follows.
struct SalePlan {
  std::int64_t version = 0;  // of the concert: an older plan changes nothing
  std::optional<Time> opens_at = {};
  std::optional<Time> closes_at = {};  // when the last sale ends
  bool ended = false;                  // the concert is closed or cancelled
  NamedPreQueue pre_queue = {};
  friend bool operator==(const SalePlan&, const SalePlan&) = default;
};

// A change of settings. An absent field is unchanged; an empty inner optional removes the limit or the time.
struct RoomPatch {
  std::optional<std::uint32_t> capacity = {};
  std::optional<Admission> admission = {};
  std::optional<std::optional<std::uint32_t>> rate_per_minute = {};
  std::optional<Seconds> token_ttl = {};
  std::optional<Seconds> session_limit = {};
  std::optional<Seconds> turn = {};
  std::optional<Seconds> grace = {};
  std::optional<Millis> admit_interval = {};
  std::optional<bool> release_on_payment = {};
  std::optional<bool> draining = {};
  std::optional<std::optional<std::uint32_t>> joins_per_address_per_minute = {};
  std::optional<std::optional<Time>> pre_queue_at = {};
  std::optional<std::optional<Time>> opens_at = {};
  std::optional<std::optional<Time>> closes_at = {};
  std::optional<std::string> notice = {};
  std::optional<RoomState> state = {};
  std::optional<PreQueueOrder> order = {};
  std::optional<std::string> title = {};
  std::optional<std::vector<std::string>> return_urls = {};
  std::optional<Visitors> visitors = {};
  std::optional<Verification> verify = {};
  std::optional<std::optional<Standby>> standby = {};
  std::optional<std::optional<Floating>> floating = {};
  // The load of the site, for one step of a floating rate. The store replaces it by the new rate
  // (ResolvePatch()).
  std::optional<std::uint32_t> float_load = {};
  // The store replaces it by the fields that FollowPatch() returns.
  std::optional<SalePlan> follow = {};
  std::optional<std::int64_t> followed = {};
  std::optional<bool> ended = {};
  friend bool operator==(const RoomPatch&, const RoomPatch&) = default;
};

// The patch that updates a room to its concert's plan. A room that the operator closed stays closed. A room
// that the operator paused stays paused while the concert is open. Precondition: the plan is newer than
// settings.followed.
RoomPatch FollowPatch(const RoomSettings& settings, RoomState state, const SalePlan& plan, Time now);
// The patch of an operator. A patch back to `scheduled` or `pre-queue` also removes the later times (opensAt,
// preQueueAt) that have passed, unless it sets them itself. Otherwise the room would leave that phase again
// at once.
RoomPatch OperatorPatch(const RoomSettings& settings, RoomPatch patch, Time now);

// The patch with the fields that change in a room with these settings. `follow` and `float_load` are replaced
// by the fields that they change; any other patch goes through OperatorPatch(). Absent: nothing changes.
std::optional<RoomPatch> ResolvePatch(const RoomSettings& settings, RoomState state, RoomPatch patch,
                                      Time now);
// Whether a room may change from this phase to that of the patch. Staying is always allowed. Refuses:
// kInvalidField.
Outcome<Done> CheckPhase(RoomState from, const RoomPatch& patch);
// Whether an operator made the patch: then the change gets a row in the audit log.
inline bool IsOperators(const RoomPatch& patch) { return !patch.follow && !patch.float_load; }

// Whether the change makes the observed rate of entries (Outflow) useless. The steps of a floating rate are
// small, and do not count.
bool ChangesFlow(const RoomSettings& before, const RoomSettings& after);

// Applies the patch. A floating rate stays within its range. If passes are verified offline, the token TTL
// becomes the session limit: no request renews such a slot, and capacity counts it until its pass ends.
RoomSettings Apply(RoomSettings settings, const RoomPatch& patch);

// The phase in which a new room begins: the one that the patch names; before its opening `scheduled`; else
// `open`.
RoomState FirstState(const RoomPatch& patch, Time now);

// The patch as JSON with the names of the API, for the audit log: {"capacity":900,"state":"open"}.
std::string Describe(const RoomPatch& patch);

}  // namespace maejin
