// Reads sold-outs and reserved seats back from the database, on a connection of its own. Used by one thread
// at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "adapters/embedded/sqlite.h"
#include "domain/booking_event.h"

namespace maejin::embedded {

struct TimeRange {
  Time from;
  Time until;  // not included
};

class SoldOutReader {
 public:
  // Throws SqliteError, as all calls.
  explicit SoldOutReader(const std::string& database) : connection_(database, Connection::Mode::kReadOnly) {}

  // All, in order of id. Each call sees one moment of the database.
  void EachConcert(const std::function<void(const ConcertSoldOut&)>& visit);
  void EachSchedule(const std::function<void(const ScheduleSoldOut&)>& visit);
  // At most `count` with ids above `after`.
  void ConcertsAfter(ConcertId after, std::int64_t count,
                     const std::function<void(const ConcertSoldOut&)>& visit);
  void SchedulesAfter(ScheduleId after, std::int64_t count,
                      const std::function<void(const ScheduleSoldOut&)>& visit);
  // Ids of those sold out in a time, with the instant.
  using VisitId = std::function<void(std::int64_t id, Time sold_out_at)>;
  void ConcertsIn(const TimeRange& range, const VisitId& visit);
  void SchedulesIn(const TimeRange& range, const VisitId& visit);

  // Seats that are held or paid, summed by schedule and quarter of an hour: no zone's day begins within one.
  void EachReserved(const std::function<void(const ProgressChanged&)>& visit);

  struct Counts {
    std::int64_t concerts = 0;
    std::int64_t schedules = 0;
  };
  Counts Count();
  std::optional<std::int64_t> Setting(std::string_view name);

 private:
  void EachId(const char* sql, const TimeRange& range, const VisitId& visit);

  Connection connection_;
};

}  // namespace maejin::embedded
