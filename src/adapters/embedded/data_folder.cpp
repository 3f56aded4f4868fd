#include "adapters/embedded/data_folder.h"

#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace maejin::embedded {
namespace {

std::filesystem::path LockFile(const std::filesystem::path& folder) { return folder / "maejin.lock"; }

std::string FirstLine(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

bool IsLocked(const std::filesystem::path& folder) {
  const int fd = open(LockFile(folder).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0;
  close(fd);
  return locked;
}

// A restored backup may lack the lock file; a node of a shared database has no database file.
bool IsDataFolder(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(LockFile(folder), ignored) ||
         std::filesystem::exists(folder / "maejin.db", ignored);
}

}  // namespace

Result<DataFolder, std::string> DataFolder::Open(const std::filesystem::path& path, Missing missing) {
  std::error_code error;
  if (missing == Missing::kRefuse)
    if (auto present = CheckPresent(path); !present) return present.error();
  if (std::filesystem::create_directories(path, error)) chmod(path.c_str(), 0700);
  if (error) return fmt::format("cannot create the data folder {}: {}", path.string(), error.message());
  const int fd = open(LockFile(path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return fmt::format("cannot write to the data folder {}: {}", path.string(), std::strerror(errno));
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    return fmt::format("a maejin server is running on the data folder {} ({}); stop it{}", path.string(),
                       FirstLine(LockFile(path)),
                       missing == Missing::kRefuse ? " first" : ", or give another --data");
  }
  return DataFolder(path, fd);
}

DataFolder::DataFolder(DataFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

DataFolder::~DataFolder() {
  if (lock_ < 0) return;
  [[maybe_unused]] const int emptied = ftruncate(lock_, 0);
  close(lock_);
}

Result<Done, std::string> DataFolder::CheckPresent(const std::filesystem::path& path) {
  if (IsDataFolder(path)) return Done{};
  return fmt::format("there is no data folder at {}; the first start of a server creates one", path.string());
}

void DataFolder::Announce(const std::string& address) const {
  const auto line = fmt::format("pid {} {}\n", getpid(), address);
  if (ftruncate(lock_, 0) == 0) {
    [[maybe_unused]] const auto written = pwrite(lock_, line.data(), line.size(), 0);
  }
}

std::string DataFolder::RunningServer(const std::filesystem::path& path) {
  if (!IsLocked(path)) return {};
  const auto line = FirstLine(LockFile(path));
  const auto address = line.rfind(' ');
  return address == std::string::npos ? line : line.substr(address + 1);
}

}  // namespace maejin::embedded
