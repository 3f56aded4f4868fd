// The boards of booking progress: seats reserved by date, by schedule, and by day and week of the hold.
// Not thread-safe: the store's lock guards it.
#pragma once

#include <map>
#include <unordered_map>

#include "domain/booking/booking_event.h"
#include "domain/ranking/applied_events.h"
#include "domain/ranking/board.h"
#include "domain/ranking/progress_board.h"

namespace maejin::embedded {

class ProgressBoards {
 public:
  ProgressBoards(TimeZone zone, Time now) : zone_(zone), now_(now) {}

  // Adds the change of seats to every board that is kept.
  void Change(const ProgressChanged& change);

  // The board, or nullptr where its retention is over.
  const ProgressBoard* Find(const BoardWindow& board) const;
  bool IsKept(const BoardWindow& board) const;
  Date DateOf(ScheduleId schedule) const;

  void Tick(Time now);

  // The number of rows that differ between these boards and the boards of `other`.
  std::int64_t DifferencesFrom(const ProgressBoards& other) const;

 private:
  TimeZone zone_;
  Time now_;
  std::map<BoardWindow, ProgressBoard> boards_;
  std::unordered_map<ScheduleId, Date> dates_;
};

// A date as a member of a ProgressBoard, and back.
std::int64_t MemberOf(Date date);
Date DateOfMember(std::int64_t member);

}  // namespace maejin::embedded
