// Ids for imported sell-outs that bring none: made from their content, so that the same history imported
// twice is one. They lie from 2^52 up to 2^53: above every id a server hands out, exact as a number in every
// JSON reader.
#pragma once

#include "domain/ranking/ranking.h"

namespace maejin {

inline constexpr std::int64_t kFirstImportedId = std::int64_t{1} << 52;

ConcertId ImportedConcertId(const ConcertSoldOut& sold_out);
// `index`: the how-manieth date of its concert.
ScheduleId ImportedScheduleId(ConcertId concert, std::size_t index, const ScheduleSoldOut& sold_out);
// Ids for what has none, and its dates told which concert they belong to.
void GiveIds(SoldOutHistory& history);

}  // namespace maejin
