// Verifies a backup, and restores it to a new data folder.
//
// The lost server gave out numbers after the backup, and the restored server must not give them out again. So
// a restore raises the next number of every room, reservation, payment, concert and event by more than a
// server gives out between two backups. A token or a pass from the time after the backup finds no place, and
// its number is never given to another fan.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/embedded/backup.h"
#include "adapters/embedded/sqlite.h"
#include "base/clock.h"
#include "domain/lost_span.h"

namespace maejin::embedded {

struct BackupContent {
  std::string version;  // the version of the maejin that wrote the backup
  Time taken_at{};
  std::int64_t schema = 0;
  std::int64_t concerts = 0;
  std::int64_t reservations = 0;
  std::int64_t places = 0;
  std::int64_t audit_rows = 0;
  bool encrypted = false;
};

// Numbers that a restored server skips.
inline constexpr std::int64_t kSkippedPlaces = 10'000'000;
// The numbers skipped in a room before its draw. They are fewer, because the draw orders skipped numbers too.
inline constexpr std::int64_t kSkippedDrawnPlaces = 1'000'000;
inline constexpr std::int64_t kSkippedReservations = 10'000'000;
inline constexpr std::int64_t kSkippedConcerts = 10'000;
inline constexpr std::int64_t kSkippedEvents = 100'000'000;

// Checks the checksum, the structure, the keys, the schema, the integrity of the database, the audit chain,
// that no seat is sold twice, and that seats, reservations and payments agree (booking_checks.h). Unpacks
// into `scratch`, an empty folder. The error is a sentence for the operator.
FileResult<BackupContent> VerifyBackup(const std::filesystem::path& file,
                                       const std::filesystem::path& scratch, std::string_view secret,
                                       Time now);

// Verifies the backup and creates the data folder, with a row in its audit log. `folder` is missing or empty;
// it is unchanged if the restore fails.
FileResult<BackupContent> RestoreBackup(const std::filesystem::path& file,
                                        const std::filesystem::path& folder, std::string_view secret,
                                        Time now);

// For each restore of this database, by the audit log: the span from the backup to the restore. Changes of
// that span are lost.
std::vector<LostSpan> ReadLostSpans(Connection& reader);

}  // namespace maejin::embedded
