// The data folder of one server: maejin.db (SQLite), keys/, admin.key, maejin.lock. The object holds a lock
// on maejin.lock, so that one server runs at a time. The lock file contains the process id and the address of
// that server.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace maejin::embedded {

// Whether Open() creates a missing folder. A command that only reads must not: the name may be mistyped.
enum class Missing : std::uint8_t { kCreate, kRefuse };

class DataFolder {
 public:
  // Takes the folder's lock; a new folder has mode 0700. The error is a sentence for the operator: another
  // server runs here (with its pid and address), there is no data folder, or it cannot be used.
  static Result<DataFolder, std::string> Open(const std::filesystem::path& path,
                                              Missing missing = Missing::kCreate);

  DataFolder(DataFolder&& other) noexcept;
  DataFolder& operator=(DataFolder&&) = delete;
  ~DataFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path database() const { return path_ / "maejin.db"; }

  // Writes process id and address into the lock file.
  void Announce(const std::string& address) const;

  // The error is a sentence for the operator: there is no data folder at this path.
  static Result<Done, std::string> CheckPresent(const std::filesystem::path& path);
  // The address that the running server announced; empty: no server runs.
  static std::string RunningServer(const std::filesystem::path& path);

 private:
  DataFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_;
};

}  // namespace maejin::embedded
