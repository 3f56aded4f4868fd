// The port of admission records: the database's copy of what a waiting room in Redis must not lose. After a
// loss a used token stays used, an admitted fan stays admitted, and the room's settings are restored.
//
// Every call may wait for the disk or the network, and may refuse with kUnavailable. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/waiting_room/places.h"
#include "domain/waiting_room/settings.h"
#include "domain/words.h"

namespace maejin {

// One admission. Its key is room, user and number: a room gives each number once.
struct AdmissionRecord {
  RoomId room;
  UserId user;
  PlaceNumber number = 0;
  std::uint32_t epoch = 0;  // of the room at the admission
  Time entered_at;
  Time session_ends_at;               // the latest end of the slot and its pass
  std::optional<Time> ended_at = {};  // left, paid, expired or revoked

  friend bool operator==(const AdmissionRecord&, const AdmissionRecord&) = default;
};

// A pruned admission: only its room and number are known, and that it has ended.
inline AdmissionRecord PrunedAdmission(RoomId room, PlaceNumber number) {
  AdmissionRecord record;
  record.room = std::move(room);
  record.number = number;
  record.ended_at = Time{};
  return record;
}

// What a room needs to be restored after a loss.
struct SavedRoom {
  RoomId room;
  std::uint32_t epoch = 0;
  PlaceNumber last_number = 0;  // a lower bound of the numbers given
  std::string settings;         // in the format of the room's store
  std::int64_t version = 0;     // of the settings; increases within an epoch

  friend bool operator==(const SavedRoom&, const SavedRoom&) = default;
};

// A phase that a room has reached.
struct RoomPhase {
  RoomId room;
  std::uint32_t epoch = 0;
  std::int64_t count = 0;  // the number of phase changes since the room's creation
  RoomState state = RoomState::kOpen;
  Time at{};
};
// The newest phase in the log.
struct LoggedPhase {
  std::uint32_t epoch = 0;
  std::string state;
};
// Whether a phase that is not yet in the log becomes an event. The first phase of a room does not, nor does a
// phase in which the room only continues after a loss.
bool IsPhaseEvent(const std::optional<LoggedPhase>& newest, const RoomPhase& phase);

class AdmissionLog {
 public:
  virtual ~AdmissionLog() = default;

  // The records are durable when this returns. An admission that is already recorded only gets its first end.
  // Refuses with kFencedEpoch, and records nothing, if a record without an end has an older epoch than the
  // saved room. Ends of any epoch are recorded.
  virtual Task<Outcome<Done>> Record(std::vector<AdmissionRecord> admissions) = 0;
  // The admissions with one of these numbers, in any order; PrunedAdmission() of those that were pruned.
  virtual Task<Outcome<std::vector<AdmissionRecord>>> Admitted(RoomId room,
                                                               std::vector<PlaceNumber> numbers) = 0;
  // Admissions without an end whose session ends after `now`, ascending by number.
  virtual Task<Outcome<std::vector<AdmissionRecord>>> Inside(RoomId room, Time now) = 0;
  // Admissions that ended before their session, and whose session ends after `now`, in any order.
  virtual Task<Outcome<std::vector<AdmissionRecord>>> EndedEarly(RoomId room, Time now) = 0;
  // The number admitted last; 0: none is known.
  virtual Task<Outcome<PlaceNumber>> LastAdmitted(RoomId room) = 0;
  // Deletes the admissions of sessions that ended before `before`. Their numbers are kept, so that Admitted()
  // goes on reporting their places as used.
  virtual Task<Outcome<Done>> Forget(Time before) = 0;

  // The room is durable when this returns; from then on, Record() refuses admissions of earlier epochs. The
  // number never decreases, and settings with a higher version stay. Refuses with kFencedEpoch, and saves
  // nothing, if a later epoch is saved.
  virtual Task<Outcome<Done>> SaveRoom(SavedRoom room) = 0;
  // Absent: never saved.
  virtual Task<Outcome<std::optional<SavedRoom>>> Room(RoomId room) = 0;

  // Records the phase, and adds its event to the feed if IsPhaseEvent(). Both are durable when this returns.
  // Does nothing if a phase of the same room, epoch and count is recorded, or if the epoch is stale.
  virtual Task<Outcome<Done>> RecordPhase(RoomPhase phase) = 0;
};

}  // namespace maejin
