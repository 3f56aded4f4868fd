// What the audit log says of a concert's making, in the same words whichever store writes it.
#pragma once

#include <string>
#include <vector>

#include "domain/booking/concert.h"

namespace maejin {

// Whom a row is about: "concert 7".
std::string AuditSubject(ConcertId concert);
// {"title":"…","dates":["2026-12-01"]}
std::string DescribeConcert(const ConcertDetails& details, const std::vector<SchedulePlan>& schedules);
// {"dates":["2026-12-01"]}
std::string DescribeDates(const std::vector<SchedulePlan>& schedules);

}  // namespace maejin
