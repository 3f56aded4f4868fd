#include "adapters/embedded/backup.h"

#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "adapters/embedded/key_store.h"
#include "adapters/embedded/sqlite.h"
#include "base/backup_manifest.h"
#include "base/sealed_entries.h"

namespace maejin::embedded {
namespace {

namespace fs = std::filesystem;

constexpr int kPagesAtOnce = 256;
// The copy pauses after each piece, for this multiple of the piece's duration: a sale keeps most of the
// disk's time.
constexpr int kBackupRest = 4;
constexpr std::string_view kBackupStopped = "the server is stopping";

// SQLite would make the file readable by every account.
void CreateCopyForOwner(const fs::path& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
}

// Copies the database from one snapshot. False: `stopped` returned true. Throws SqliteError.
bool CopyDatabase(Connection& source, const fs::path& to, const std::function<bool()>& stopped) {
  Connection target(to.string());
  target.Execute("PRAGMA journal_mode = OFF");
  target.Execute("PRAGMA synchronous = OFF");
  const std::unique_ptr<sqlite3_backup, decltype(&sqlite3_backup_finish)> copy(
      sqlite3_backup_init(target.raw(), "main", source.raw(), "main"), sqlite3_backup_finish);
  if (!copy) throw SqliteError(0, target.LastError());
  while (true) {
    if (stopped && stopped()) return false;
    const auto started = std::chrono::steady_clock::now();
    const int code = sqlite3_backup_step(copy.get(), kPagesAtOnce);
    if (code == SQLITE_DONE) return true;
    if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED)
      throw SqliteError(code, sqlite3_errstr(code));
    std::this_thread::sleep_for((std::chrono::steady_clock::now() - started) * kBackupRest);
  }
}

FileResult<Done> AddFile(SealedWriter& out, std::string_view name, const fs::path& path,
                         const std::function<bool()>& stopped) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in) return fmt::format("cannot read {}", path.string());
  auto added = WriteEntryHead(out, name, size);
  std::string buffer(1 << 18, '\0');
  for (auto left = size; added && left > 0;) {
    if (stopped && stopped()) return std::string(kBackupStopped);
    const auto started = std::chrono::steady_clock::now();
    in.read(buffer.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(buffer.size(), left)));
    const auto read = static_cast<std::size_t>(in.gcount());
    if (read == 0) return fmt::format("{} became shorter while it was read", path.string());
    added = out.Write(std::string_view(buffer).substr(0, read));
    left -= read;
    if (left > 0) std::this_thread::sleep_for((std::chrono::steady_clock::now() - started) * kBackupRest);
  }
  return added;
}

bool IsLeftOut(const fs::path& name) {
  const auto text = name.string();
  return text.starts_with("maejin.db") || text == "maejin.lock" || text.starts_with("high-water") ||
         text.ends_with(".new");
}

// Files of the folder beside the database, and the signing keys as `keys/…`.
std::vector<std::pair<std::string, fs::path>> OtherFiles(const BackupSource& source) {
  std::vector<std::pair<std::string, fs::path>> found;
  std::error_code error;
  const auto within = [&](const fs::path& path) {
    return !source.without.empty() && fs::equivalent(path, source.without, error);
  };
  for (auto entry = fs::recursive_directory_iterator(source.data, error);
       entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (error) break;
    if (entry->is_directory(error) && within(entry->path())) entry.disable_recursion_pending();
    const auto name = fs::relative(entry->path(), source.data, error);
    if (entry->is_regular_file(error) && !IsLeftOut(name)) found.emplace_back(name.string(), entry->path());
  }
  if (fs::equivalent(source.keys, source.data / "keys", error)) return found;
  std::erase_if(found, [](const auto& file) { return file.first.starts_with("keys/"); });
  for (const auto& entry : fs::directory_iterator(source.keys, error))
    found.emplace_back("keys/" + entry.path().filename().string(), entry.path());
  return found;
}

FileResult<std::uint64_t> Pack(const BackupSource& source, const BackupReport& report,
                               const fs::path& database, SealedWriter& out,
                               const std::function<bool()>& stopped) {
  auto added = WriteEntry(out, kManifestEntry, ToJson({source.version, report.schema, report.taken_at}));
  if (added) added = AddFile(out, kDatabaseEntry, database, stopped);
  for (const auto& [name, path] : OtherFiles(source)) {
    if (added) added = AddFile(out, name, path, {});
  }
  if (added) added = WriteEntryHead(out, "", 0);
  if (!added) return added.error();
  return out.Finish();
}

// Removes a file at the end of its scope.
struct Removed {
  fs::path path;
  ~Removed() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

}  // namespace

FileResult<BackupReport> WriteBackup(const BackupSource& source, const fs::path& file,
                                     std::string_view secret, Random& random, Time now,
                                     const std::function<bool()>& stopped) {
  const auto database = source.data / "maejin.db";
  if (!fs::exists(database)) return fmt::format("there is no database in {}", source.data.string());
  if (!HasKeys(source.keys)) {
    return fmt::format("no signing keys in {}: give --keys DIR as the server does", source.keys.string());
  }
  BackupReport report{.taken_at = now};
  const Removed copy{file.string() + ".db.new"};
  const Removed unfinished{file.string() + ".new"};
  try {
    // Read-write, so that the log of a server that was killed can be recovered; nothing is written.
    Connection reader(database.string());
    reader.Execute("BEGIN");
    auto version = reader.Prepare("PRAGMA user_version");
    version.Step();
    report.schema = version.Int(0);
    version.Reset();
    // The first read begins the snapshot.
    auto first = reader.Prepare("SELECT count(*) FROM sqlite_master");
    first.Step();
    first.Reset();
    {
      const Removed old{copy.path};
    }
    CreateCopyForOwner(copy.path);
    if (!CopyDatabase(reader, copy.path, stopped)) return std::string(kBackupStopped);
  } catch (const SqliteError& error) {
    return fmt::format("cannot copy {}: {}", database.string(), error.what());
  }
  auto out = SealedWriter::Create(unfinished.path, kBackupTitle, secret, random);
  if (!out) return out.error();
  const auto size = Pack(source, report, copy.path, *out, stopped);
  if (!size) return size.error();
  report.bytes = *size;
  std::error_code error;
  fs::rename(unfinished.path, file, error);
  if (error) return fmt::format("cannot write {}: {}", file.string(), error.message());
  return report;
}

}  // namespace maejin::embedded
