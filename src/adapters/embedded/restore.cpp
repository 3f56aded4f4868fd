#include "adapters/embedded/restore.h"

#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/json/parse.hpp>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/booking_checks.h"
#include "adapters/embedded/booking_store.h"
#include "adapters/embedded/database.h"
#include "adapters/embedded/key_store.h"
#include "base/backup_manifest.h"
#include "base/json_text.h"
#include "base/sealed_entries.h"

namespace maejin::embedded {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestManifest = 1 << 16;

// True: the path `name` stays inside the folder.
bool IsSafe(const std::string& name) {
  const fs::path path(name);
  if (path.is_absolute()) return false;
  for (const auto& part : path)
    if (part == ".." || part.empty()) return false;
  return true;
}

FileResult<Done> UnpackEntry(SealedReader& in, const fs::path& to, std::uint64_t size) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  const int fd = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return fmt::format("cannot write {}", to.string());
  std::string piece;
  bool good = true;
  while (good && size > 0) {
    piece.clear();
    const auto read = in.Read(std::min<std::uint64_t>(size, 1 << 18), piece);
    if (!read) {
      close(fd);
      return read;
    }
    good = write(fd, piece.data(), piece.size()) == static_cast<ssize_t>(piece.size());
    size -= piece.size();
  }
  good = fdatasync(fd) == 0 && good;
  close(fd);
  if (!good) return fmt::format("cannot write {}: is the disk full?", to.string());
  return Done{};
}

// Checks the file and unpacks it.
FileResult<BackupContent> Unpack(const fs::path& file, const fs::path& folder, std::string_view secret) {
  auto in = SealedReader::Open(file, kBackupTitle, secret);
  if (!in) return in.error();
  auto head = ReadEntryHead(*in);
  if (!head) return head.error();
  if (head->name != kManifestEntry || head->size > kLongestManifest)
    return fmt::format("{} has no manifest", file.string());
  std::string text;
  const auto read = in->Read(head->size, text);
  if (!read) return read.error();
  const auto manifest = ReadManifest(text);
  if (!manifest) return manifest.error();
  if (manifest->schema > SchemaVersion()) {
    return fmt::format("{} has schema {}, this maejin knows {}: use maejin {} or newer", file.string(),
                       manifest->schema, SchemaVersion(), manifest->version);
  }
  while (true) {
    head = ReadEntryHead(*in);
    if (!head) return head.error();
    if (head->name.empty()) break;
    if (!IsSafe(head->name)) return fmt::format("{} has an entry with a bad name", file.string());
    const auto written = UnpackEntry(*in, folder / head->name, head->size);
    if (!written) return written.error();
  }
  BackupContent content{
      .version = manifest->version, .taken_at = manifest->taken_at, .schema = manifest->schema};
  content.encrypted = in->encrypted();
  return content;
}

std::int64_t CountRows(Connection& connection, const std::string& table) {
  auto row = connection.Prepare("SELECT count(*) FROM " + table);
  row.Step();
  return row.Int(0);
}

// Whether the folder's database is one that a server can run on. Throws SqliteError.
FileResult<Done> CheckUnpacked(const fs::path& folder, Time now, BackupContent& content) {
  const auto path = (folder / kDatabaseEntry).string();
  if (!fs::exists(path)) return std::string("the backup has no database");
  if (!HasKeys(folder / "keys")) return std::string("the backup has no signing keys");
  SystemRandom random;
  const auto keys = OpenKeys(folder / "keys", random);
  if (!keys) return keys.error();
  Journal journal(OpenDatabase(path));
  Connection reader(path, Connection::Mode::kReadOnly);
  auto check = reader.Prepare("PRAGMA integrity_check");
  check.Step();
  if (check.Text(0) != "ok") return fmt::format("the database is damaged: {}", check.Text(0));
  if (const auto broken = AuditLog::FirstBroken(reader))
    return fmt::format("the audit log is broken at row {}", *broken);
  AuditLog audit(reader, journal);
  EmbeddedBookingStore bookings(journal, audit, random);
  bookings.Load(reader, now);
  if (const auto found = FirstContradiction(reader))
    return fmt::format("the booking data contradicts itself: {}", *found);
  content.concerts = CountRows(reader, "concerts");
  content.reservations = CountRows(reader, "reservations");
  content.places = CountRows(reader, "place");
  content.audit_rows = CountRows(reader, "audit");
  return Done{};
}

FileResult<BackupContent> UnpackAndCheck(const fs::path& file, const fs::path& folder,
                                         std::string_view secret, Time now) {
  auto content = Unpack(file, folder, secret);
  if (!content) return content;
  try {
    const auto checked = CheckUnpacked(folder, now, *content);
    if (!checked) return checked.error();
  } catch (const SqliteError& error) {
    return fmt::format("the database of the backup is damaged: {}", error.what());
  }
  return content;
}

// Raises the next number of every counter. Throws SqliteError.
void SkipNumbers(Connection& connection) {
  connection.Execute("BEGIN IMMEDIATE");
  connection.Execute(
      fmt::format("UPDATE room SET last_number = min(4000000000, max(last_number, "
                  "coalesce((SELECT max(number) FROM place WHERE place.room = room.id), 0)) + "
                  "iif(EXISTS (SELECT 1 FROM draw WHERE draw.room = room.id AND order_digest = ''), {}, {}))",
                  kSkippedDrawnPlaces, kSkippedPlaces)
          .c_str());
  const auto raise = [&](std::string_view counter, std::string_view highest, std::int64_t by) {
    connection.Execute(
        fmt::format("INSERT INTO booking_counters (name, value) SELECT '{0}', max(coalesce(({1}), 0), "
                    "coalesce((SELECT value FROM booking_counters WHERE name = '{0}'), 0)) + {2} WHERE true "
                    "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                    counter, highest, by)
            .c_str());
  };
  raise("next_reservation", "SELECT max(number) FROM reservations", kSkippedReservations);
  raise("next_payment", "SELECT max(number) FROM payments", kSkippedReservations);
  raise("next_concert", "SELECT max(id) FROM concerts", kSkippedConcerts);
  raise("next_schedule", "SELECT max(id) FROM schedules", kSkippedConcerts);
  raise("next_event", "SELECT 0", kSkippedEvents);
  raise("next_feed_event", "SELECT max(last_id) FROM events", kSkippedEvents);
  connection.Execute("COMMIT");
}

void RecordRestore(const std::string& path, const BackupContent& content, Time now) {
  Journal journal(OpenDatabase(path));
  Connection reader(path, Connection::Mode::kReadOnly);
  AuditLog audit(reader, journal);
  const auto detail = JsonObjectText([&](JsonWriter& json) { json.Field("takenAt", content.taken_at); });
  WriteSet rows;
  audit.Append(rows, {now, "command line", "backup.restore", "data folder", detail});
  journal.Flush();
}

void SyncFolder(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

// Removes a folder at the end of its scope, unless it was renamed.
struct RemovedFolder {
  fs::path path;
  ~RemovedFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

FileResult<BackupContent> VerifyBackup(const fs::path& file, const fs::path& scratch, std::string_view secret,
                                       Time now) {
  return UnpackAndCheck(file, scratch, secret, now);
}

FileResult<BackupContent> RestoreBackup(const fs::path& file, const fs::path& folder, std::string_view secret,
                                        Time now) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    return fmt::format("{} is not empty: restore to a new folder", folder.string());
  const auto whole = fs::absolute(folder).lexically_normal();
  const auto target = whole.has_filename() ? whole : whole.parent_path();
  const RemovedFolder fresh{target.string() + ".restoring"};
  fs::remove_all(fresh.path, error);
  fs::create_directories(fresh.path, error);
  if (error) return fmt::format("cannot create {}: {}", fresh.path.string(), error.message());
  chmod(fresh.path.c_str(), 0700);
  auto content = UnpackAndCheck(file, fresh.path, secret, now);
  if (!content) return content;
  const auto database = (fresh.path / kDatabaseEntry).string();
  try {
    {
      auto connection = OpenDatabase(database);
      SkipNumbers(connection);
    }
    RecordRestore(database, *content, now);
  } catch (const SqliteError& failure) {
    return fmt::format("cannot write {}: {}", database, failure.what());
  }
  SyncFolder(fresh.path);
  fs::remove(target, error);  // the target is an empty folder
  fs::rename(fresh.path, target, error);
  if (error) return fmt::format("cannot create {}: {}", target.string(), error.message());
  SyncFolder(target.parent_path());
  return content;
}

std::vector<LostSpan> ReadLostSpans(Connection& reader) {
  std::vector<LostSpan> spans;
  auto rows = reader.Prepare("SELECT at, detail FROM audit WHERE action = 'backup.restore'");
  while (rows.Step()) {
    boost::system::error_code error;
    const auto detail = boost::json::parse(rows.Text(1), error);
    const auto* taken = error || !detail.is_object() ? nullptr : detail.get_object().if_contains("takenAt");
    if (!taken || !taken->is_string()) continue;
    if (const auto from = ParseTime(std::string_view(taken->get_string())))
      spans.push_back({*from, TimeFromMillis(rows.Int(0))});
  }
  return spans;
}

}  // namespace maejin::embedded
