// The rows of sold_out_concerts and sold_out_schedules: written by the payment that sells the last seat (in
// its own write set) and by the import; read by the rankings.
#pragma once

#include "adapters/embedded/write_set.h"
#include "domain/booking/booking_event.h"
#include "domain/ranking/ranking.h"

namespace maejin::embedded {

// Adds a sell-out, unless its id has one already.
void AddSoldOutRow(WriteSet& rows, const ConcertSoldOut& sold_out);
void AddSoldOutRow(WriteSet& rows, const ScheduleSoldOut& sold_out);
// Records that an operator removed a sell-out from every board, or replaced it.
void AddRemovalRow(WriteSet& rows, ConcertId concert, Time now);
void ReplaceSoldOutRows(WriteSet& rows, const SoldOutHistory& history);
// Records that boards of windows that ended before this day are not kept. The stored day never decreases.
void AddPrunedBefore(WriteSet& rows, Date before);

}  // namespace maejin::embedded
