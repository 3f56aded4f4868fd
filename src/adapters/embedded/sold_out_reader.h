// Reads sold-outs and reserved seats back from the database, on a connection of its own. Used by one thread
// at a time.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "adapters/embedded/sqlite.h"
#include "domain/booking/booking_event.h"
#include "store/ranking_history.h"

namespace maejin::embedded {

class SoldOutReader {
 public:
  // Throws SqliteError, as all functions of this class do.
  explicit SoldOutReader(const std::string& database) : connection_(database, Connection::Mode::kReadOnly) {}

  using VisitConcert = std::function<void(const ConcertSoldOut&)>;
  using VisitSchedule = std::function<void(const ScheduleSoldOut&)>;
  // All rows, ascending by id. Each call reads one snapshot of the database.
  void EachConcert(const VisitConcert& visit);
  void EachSchedule(const VisitSchedule& visit);
  // At most `count` rows with ids above `after`.
  void ConcertsAfter(ConcertId after, std::int64_t count, const VisitConcert& visit);
  void SchedulesAfter(ScheduleId after, std::int64_t count, const VisitSchedule& visit);
  // Reads the rows with these ids, in any order; unknown ids are left out.
  void ConcertsWith(std::span<const ConcertId> ids, const VisitConcert& visit);
  void SchedulesWith(std::span<const ScheduleId> ids, const VisitSchedule& visit);
  bool HasConcert(ConcertId concert);
  bool HasSchedule(ScheduleId schedule);
  // Sell-outs within the range.
  void ConcertRowsIn(const TimeRange& range, const VisitConcert& visit);
  void ScheduleRowsIn(const TimeRange& range, const VisitSchedule& visit);

  // Seats that are held or paid, summed by schedule and by the quarter of an hour in which the hold began. In
  // every time zone, such a quarter belongs to one day.
  void EachReserved(const std::function<void(const ProgressChanged&)>& visit);

  SoldOutCounts Count();
  std::optional<std::int64_t> Setting(std::string_view name);

  // All reads between Pin() and Unpin() see the snapshot of the database at Pin().
  void Pin();
  void Unpin();

 private:
  static void VisitRows(Statement rows, const VisitConcert& visit);
  static void VisitRows(Statement rows, const VisitSchedule& visit);

  Connection connection_;
};

}  // namespace maejin::embedded
