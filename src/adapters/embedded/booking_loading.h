// Loads all bookings from SQLite at the start.
#pragma once

#include "adapters/embedded/sale_journal.h"
#include "adapters/embedded/sale_registry.h"
#include "adapters/embedded/sqlite.h"

namespace maejin::embedded {

// Call once, before the first transition. Throws SqliteError if the rows contradict each other.
void LoadBookings(Connection& connection, Time now, SaleRegistry& sales, SaleJournal& journal);

}  // namespace maejin::embedded
