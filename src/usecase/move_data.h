// Moves everything from one booking store to another through a file: NDJSON, one row a line, with the counts of all tables and
// a digest of the boards at its end. Both are compared with what the new store says before anything stays there.
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
  std::string boards;  // the digest: equal digests, equal boards
};

// Told now and then how many rows have gone.
using MoveProgress = std::function<void(std::int64_t rows)>;

// The errors are sentences for the operator. What a store throws passes through.
Result<MoveReport, std::string> ExportData(DataSource& source, std::ostream& out,
                                           const MoveProgress& progress);
Result<MoveReport, std::string> ImportData(std::istream& in, DataTarget& target,
                                           const MoveProgress& progress);

// A digest of the boards that the rows of a store make: concerts and schedules in their order, and seats reserved by date.
std::string DigestOfBoards(DataSource& source);

}  // namespace maejin
