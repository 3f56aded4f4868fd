// Records admissions and ends in the database. An answer that says "entered" waits for its record; all other
// records are fetched from the room's log.
#pragma once

#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "adapters/redis/waiting_room/script_runner.h"
#include "store/admission_log.h"

namespace maejin::redis {

// Thread-safe.
class AdmissionRecorder {
 public:
  // All objects given by reference outlive this one.
  AdmissionRecorder(Client& client, Rooms& rooms, ScriptRunner& runner, AdmissionLog& log)
      : client_(client), rooms_(rooms), runner_(runner), log_(log) {}

  // False: the database refused the last admissions.
  bool IsAnswering() const { return is_answering_.load(std::memory_order_relaxed); }

  // Records admissions. With `after_log` it first records the entries of the room's log: the end of a slot's
  // previous holder must be recorded first. Otherwise recovery after a loss would restore both holders.
  // `log_entry`: the log entry of these admissions, or empty. `with_newest`: also the log entries that the
  // node that answers the fan is about to record.
  struct Entries {
    std::vector<AdmissionRecord> records = {};
    std::string log_entry = {};
    bool after_log = true;
    bool with_newest = false;
  };
  Task<Outcome<Done>> Record(RoomId room, Entries entries, Time now);
  // Deletes the records of sessions that ended before `before`. This write also shows that the database
  // answers again.
  Task<void> Forget(Time before);
  // Call after kFencedEpoch: another Redis serves the room, or Redis has an earlier epoch than the database.
  // The next call of the room detects it, and recovers the room.
  Task<void> LearnSavedEpoch(RoomId room);
  // If the database refuses, the room's log keeps the end.
  Task<void> RecordEnd(PlaceRef place, PlaceNumber number, Time now);

  using Admissions = std::map<std::pair<UserId, PlaceNumber>, AdmissionRecord>;
  Task<Outcome<Admissions>> Find(RoomId room, std::vector<PlaceNumber> numbers);
  // The admission of a place. nullptr: there is none.
  static const AdmissionRecord* AdmissionOf(const Admissions& admissions, const UserId& user,
                                            PlaceNumber number);
  static bool IsUsed(const AdmissionRecord& record, Time now) {
    return record.ended_at || record.session_ends_at <= now;
  }

 private:
  struct LogEntries {
    std::vector<AdmissionRecord> records;
    std::vector<std::string> texts;
  };
  Task<Outcome<LogEntries>> WaitingLogEntries(RoomId room, bool with_newest, Time now);
  Task<Outcome<Done>> Write(RoomId room, std::vector<AdmissionRecord> records);

  Client& client_;
  Rooms& rooms_;
  ScriptRunner& runner_;
  AdmissionLog& log_;
  std::atomic<bool> is_answering_{true};
};

}  // namespace maejin::redis
