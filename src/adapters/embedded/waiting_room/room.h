// One waiting room of the embedded store: the line in memory, and the tickets of changes that may not be on
// disk yet.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "adapters/embedded/journal.h"
#include "adapters/embedded/waiting_room/room_rows.h"
#include "base/random.h"
#include "domain/waiting_room/join_limit.h"
#include "store/waiting_room_store.h"

namespace maejin::embedded {

// The operator's notice as a shared text, so that answers do not copy it; null: no notice.
std::shared_ptr<const std::string> SharedNotice(const RoomSettings& settings);

// Call the functions with the room's lock held.
struct Room {
  Room(const RoomRow& row, Random& random);

  // The number that `place` refers to, or 0: no such place. `user` is the key of place.user.
  PlaceNumber NumberOf(const PlaceView& place, const UserKey& user) const;
  // The ticket of an entry that may not be on disk yet, or 0.
  Ticket PendingEntry(PlaceNumber number) const;
  PlaceAnswer AnswerOf(Standing standing) const;
  RoomInfo Info() const;

  const std::int64_t id;
  const RoomId name;
  const std::uint32_t epoch;
  Room* next = nullptr;  // in its bucket of Rooms; set before the room is published
  Ticket created = 0;    // set before the room is published
  // The time of the room's next due work, so that a tick with nothing due takes no lock.
  std::atomic<std::int64_t> due_ms{INT64_MAX};
  // The operator deleted the room; set under the lock. Its changes are not written any more.
  std::atomic<bool> removed{false};

  std::mutex mutex;  // guards everything below
  WaitingRoom line;
  std::shared_ptr<const std::string> notice;
  std::shared_ptr<const SiteSettings> site;
  std::vector<Revocation> revoked;                   // may contain passes that ended
  Ticket joined = 0;                                 // ticket of the newest join
  Ticket configured = 0;                             // ticket of the newest settings or phase
  RoomState announced_state;                         // the phase of the newest event in the feed
  std::unordered_map<PlaceNumber, Ticket> entering;  // entries that may not be on disk yet
  std::int64_t presence_reset_ms = 0;                // the newest pause that was applied
  Millis paused{0};                                  // pauses that its deadlines were extended by
  std::unique_ptr<JoinLimit> joins;                  // null: joins were not limited so far
  std::uint64_t tallied_turns = 0;                   // passed turns that are in the tally
  RoomStats stats;                                   // only the counts are used
};

}  // namespace maejin::embedded
