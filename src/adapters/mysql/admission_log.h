// Admission records and saved rooms in the database, for waiting rooms in Redis.
#pragma once

#include "adapters/mysql/pool.h"
#include "store/admission_log.h"

namespace maejin::mysql {

class MysqlAdmissionLog final : public AdmissionLog {
 public:
  // The pool outlives it.
  explicit MysqlAdmissionLog(Pool& pool) : pool_(pool) {}

  Task<Outcome<Done>> Record(std::vector<AdmissionRecord> admissions) override;
  Task<Outcome<std::vector<AdmissionRecord>>> Admitted(RoomId room,
                                                       std::vector<PlaceNumber> numbers) override;
  Task<Outcome<std::vector<AdmissionRecord>>> Inside(RoomId room, Time now) override;
  Task<Outcome<std::vector<AdmissionRecord>>> EndedEarly(RoomId room, Time now) override;
  Task<Outcome<PlaceNumber>> LastAdmitted(RoomId room) override;
  Task<Outcome<Done>> Forget(Time before) override;
  Task<Outcome<Done>> SaveRoom(SavedRoom room) override;
  Task<Outcome<std::optional<SavedRoom>>> Room(RoomId room) override;
  Task<Outcome<Done>> RecordPhase(RoomPhase phase) override;

 private:
  Pool& pool_;
};

}  // namespace maejin::mysql
