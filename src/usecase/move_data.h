// Moves all data from one booking store to another through an NDJSON file. After a head, each text line is
// one table row; the last text line has the row counts and a digest of the boards. The import compares both
// with the new store before it commits.
#pragma once

#include <functional>
#include <istream>
#include <ostream>
#include <string>

#include "base/result.h"
#include "store/moved_data.h"

namespace maejin {

struct MoveReport {
  std::int64_t rows = 0;
  std::string boards;  // digest of the boards
};

// Called every 10,000 rows with the number of rows so far.
using MoveProgress = std::function<void(std::int64_t rows)>;

// Used by one thread. The errors are sentences for the operator. Exceptions of a store pass through.
Result<MoveReport, std::string> ExportData(DataSource& source, std::ostream& out,
                                           const MoveProgress& progress);
Result<MoveReport, std::string> ImportData(std::istream& in, DataTarget& target,
                                           const MoveProgress& progress);

// Digest of the boards that follow from a store's rows: concerts and schedules in ranking order, and reserved
// seats per schedule.
std::string DigestOfBoards(DataSource& source);

}  // namespace maejin
