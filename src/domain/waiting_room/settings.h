// What an operator may set on a waiting room, and the phases a room goes through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "domain/words.h"

namespace maejin {

// How a free slot finds its fan: the fan who is ready claims it, or the server pushes the first in line in.
enum class Admission : std::uint8_t { kClaim, kPush };

enum class RoomState : std::uint8_t {
  kScheduled,  // nobody can join yet
  kPreQueue,   // everybody who joins is equal; the order is drawn at the opening
  kOpen,
  kPaused,  // joins and positions go on, nobody is admitted
  kClosed,  // nobody joins, nobody is admitted; who is inside stays until the slot ends
};

std::string_view Name(Admission admission);
std::string_view Name(RoomState state);
std::optional<Admission> ParseAdmission(std::string_view name);
std::optional<RoomState> ParseRoomState(std::string_view name);

// Whether an operator (or the clock) may lead a room from one phase to the other. Staying is always legal.
bool MayFollow(RoomState from, RoomState to);

struct RoomSettings {
  // Fans inside at the same time: hard. Lowering it evicts nobody, and admits nobody until it holds again.
  std::uint32_t capacity = 800;
  Admission admission = Admission::kClaim;
  // Entries per minute, evenly spread; absent: only the capacity limits.
  std::optional<std::uint32_t> rate_per_minute = {};
  // A slot ends so long after its last poll…
  Seconds token_ttl{300};
  // … and at the latest so long after entering.
  Seconds session_limit{1800};
  // A fan who was told "ready" has so long to enter before the turn passes on.
  Seconds turn{60};
  // A waiter's place ends so long after the last poll.
  Seconds grace{600};
  // Push: slots are handed out at most this often; 0: as soon as one is free.
  Millis admit_interval{0};
  bool release_on_payment = true;
  // Nobody new may join; who waits is still admitted.
  bool draining = false;
  // Joins per minute from one address prefix (/24, /56); absent: no limit.
  std::optional<std::uint32_t> joins_per_address_per_minute = {};
  // The phases by time. Absent: by the operator only.
  std::optional<Time> pre_queue_at = {};
  std::optional<Time> opens_at = {};
  std::optional<Time> closes_at = {};
  // A sentence for everybody in the room; empty: none.
  std::string notice = {};

  friend bool operator==(const RoomSettings&, const RoomSettings&) = default;
};

// A concert's room as in seed 003, `main` as in seed 004.
RoomSettings DefaultSettings(std::string_view room);

// A change of settings: what is absent stays. An inner optional that is empty removes the limit or the time.
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
};

RoomSettings Apply(RoomSettings settings, const RoomPatch& patch);

// The patch as JSON with the names of the API, for the audit: {"capacity":900,"state":"open"}.
std::string Describe(const RoomPatch& patch);

}  // namespace maejin
