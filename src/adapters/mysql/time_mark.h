// The mark of base/forward_clock.h in the database, one for all nodes.
#pragma once

#include <optional>

#include "adapters/mysql/pool.h"

namespace maejin::mysql {

// Absent: no mark was written.
std::optional<Time> ReadTimeMark(Connection& connection);
// Starts the write of the mark and does not wait for the database. The mark never goes back, whichever node
// writes it.
void WriteTimeMark(Pool& pool, Time now);

}  // namespace maejin::mysql
