// Finds one admission in the log.
#pragma once

#include <optional>
#include <utility>

#include "base/run_task.h"
#include "store/admission_log.h"

namespace maejin {

// Absent: this place was never admitted.
inline std::optional<AdmissionRecord> FindAdmission(AdmissionLog& log, RoomId room, const UserId& user,
                                                    PlaceNumber number) {
  const auto admitted = RunTask(log.Admitted(std::move(room), {number}));
  for (const auto& record : admitted.value()) {
    if (record.user == user) return record;
  }
  return {};
}

}  // namespace maejin
