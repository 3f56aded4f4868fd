// The folder an embedded server lives in: maejin.db (ordinary SQLite), keys/, admin.key, maejin.lock.
// One server at a time: the lock file is held for the life of the object and says who holds it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace maejin::embedded {

// What becomes of a missing folder: a command that only reads must not create one from a mistyped name.
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

  // Writes what others may want to know of the holder ("pid address") into the lock file.
  void Announce(const std::string& address) const;

  // The address the running server announced, or empty where none runs.
  static std::string RunningServer(const std::filesystem::path& path);

 private:
  DataFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_;
};

}  // namespace maejin::embedded
