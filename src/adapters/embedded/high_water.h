// The high-water mark: a file beside the database that records what the database must contain. A server
// refuses to start if the database contains less: the write-ahead log or the database was lost or replaced,
// or the audit log was cut. The mark also has the newest time, so that the clock does not start before it.
//
// The mark's number is committed to the database before it is written to the file. So the database always has
// the number of the file or a higher one. The MAC of the audit log's head is keyed: only the holder of the
// key folder can write a mark that fits another audit log.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/journal.h"
#include "base/clock.h"
#include "base/key_ring.h"
#include "base/result.h"

namespace maejin::embedded {

// While a server runs, a tick writes the file again if its time is this old.
inline constexpr Seconds kMarkTimeEvery{10};

struct Mark {
  std::int64_t number = 0;
  Time at{};
  AuditHead audit = {};
  std::string audit_mac = {};
};

// The path of the mark's file in the data folder.
std::filesystem::path MarkFile(const std::filesystem::path& folder);
// Absent: there is no file, or it is not a mark.
std::optional<Mark> ReadMark(const std::filesystem::path& file);
// Whether the database has everything that the mark records. The error is a sentence for the operator.
Result<Done, std::string> CheckMark(const Mark& mark, const std::filesystem::path& file,
                                    Connection& connection, const KeyRing& keys);

// Writes the mark. Not thread-safe: one thread ticks.
class HighWater {
 public:
  // All parts outlive the HighWater. `before` is the last mark of the previous run.
  struct Parts {
    Journal& journal;
    AuditLog& audit;
    const KeyRing& keys;
    const Clock& clock;
  };
  HighWater(Parts parts, std::filesystem::path file, const std::optional<Mark>& before);
  // Writes the last mark.
  ~HighWater();
  HighWater(const HighWater&) = delete;
  HighWater& operator=(const HighWater&) = delete;

  // Call about once a second.
  void Tick();

 private:
  // Appends the next number to the journal, after all rows that it covers.
  void Begin();
  // Writes the file once the number is committed.
  void Finish();

  const Parts parts_;
  const std::filesystem::path file_;
  Mark mark_;
  std::optional<Mark> next_;  // the mark that the running commit makes valid
  Ticket ticket_ = 0;         // the ticket of the newest number
  std::chrono::steady_clock::time_point written_at_{};
  bool failed_ = false;  // the last write of the file failed
};

}  // namespace maejin::embedded
