// Ids for imported sell-outs without an id: a hash of the content, so that a repeated import is idempotent.
// They are in [2^52, 2^53): above every id that a server generates, and exact in every JSON parser.
#pragma once

#include "domain/ranking/ranking.h"

namespace maejin {

inline constexpr std::int64_t kFirstImportedId = std::int64_t{1} << 52;

ConcertId ImportedConcertId(const ConcertSoldOut& sold_out);
// `index`: the 0-based position of the date within its concert.
ScheduleId ImportedScheduleId(ConcertId concert, std::size_t index, const ScheduleSoldOut& sold_out);
// Sets missing ids, and the concert of every schedule.
void AssignIds(SoldOutHistory& history);

}  // namespace maejin
