// Audit texts of concerts, dates and reservations, shared by all stores.
#pragma once

#include <string>
#include <vector>

#include "domain/booking/concert.h"

namespace maejin {

// "concert 7"
std::string AuditSubject(ConcertId concert);
// {"title":"…","dates":["2026-12-01"]}
std::string DescribeConcert(const ConcertDetails& details, const std::vector<SchedulePlan>& schedules);
// {"dates":["2026-12-01"]}
std::string DescribeDates(const std::vector<SchedulePlan>& schedules);
// The status and code of the reservation after the action, and the operator's reason if there is one.
std::string DescribeReservation(const Reservation& reservation, const std::string& reason);

// The fields that a change names, as JSON.
std::string Describe(const ConcertPatch& patch);
std::string Describe(const SchedulePatch& patch);

}  // namespace maejin
