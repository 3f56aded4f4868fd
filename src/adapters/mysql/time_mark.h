// The mark of base/forward_clock.h in the database, one for all nodes.
#pragma once

#include <optional>

#include "adapters/mysql/pool.h"

namespace maejin::mysql {

// Absent: none was written.
std::optional<Time> ReadTimeMark(Connection& connection);
// Writes the mark without waiting for it. The mark never goes back, whichever node writes it.
void WriteTimeMark(Pool& pool, Time now);

}  // namespace maejin::mysql
