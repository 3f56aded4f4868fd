// Ids for imported sell-outs without an id: a hash of the content, so that a repeated import is idempotent.
// They are in [2^52, 2^53): above every id that a server generates, and exact in every JSON parser.
#pragma once

#include "domain/ranking/ranking.h"

namespace maejin {

// The highest id that another system may have given to an imported concert or date. The server gives new
// concerts and dates ids above the imported ones.
inline constexpr std::int64_t kLastGivenId = std::int64_t{1} << 40;
inline constexpr std::int64_t kFirstImportedId = std::int64_t{1} << 52;

ConcertId ImportedConcertId(const ConcertSoldOut& sold_out);
// `index`: the index of the date within its concert, from 0.
ScheduleId ImportedScheduleId(ConcertId concert, std::size_t index, const ScheduleSoldOut& sold_out);
// Sets missing ids, and the concert of every schedule.
void AssignIds(SoldOutHistory& history);

// Whether an import may contain the id: up to kLastGivenId, or computed by an earlier import.
inline bool MayBeImported(std::int64_t id) { return id <= kLastGivenId || id >= kFirstImportedId; }

}  // namespace maejin
