#include "cli/admin_key.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace maejin::cli {
namespace {

constexpr std::size_t kShortestKey = 16;
constexpr std::size_t kKeyBytes = 32;

std::string NewKey(Random& random) {
  std::array<std::byte, kKeyBytes> bytes{};
  random.Fill(bytes);
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

// Whole and on disk, or an errno.
int WriteNewFile(const std::filesystem::path& file, const std::string& line) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  const bool written =
      write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && fsync(fd) == 0;
  const int error = written ? 0 : errno;
  close(fd);
  return error;
}

void SyncFolder(const std::filesystem::path& folder) {
  const int fd = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

Result<AdminKey, std::string> ReadAdminKey(const std::filesystem::path& file) {
  std::ifstream in(file);
  AdminKey key;
  if (!std::getline(in, key.text)) return fmt::format("cannot read the admin key from {}", file.string());
  while (!key.text.empty() && (key.text.back() == '\r' || key.text.back() == ' ')) key.text.pop_back();
  if (key.text.size() < kShortestKey) {
    return fmt::format("the admin key in {} is shorter than {} characters", file.string(), kShortestKey);
  }
  return key;
}

Result<AdminKey, std::string> ReadOrCreateAdminKey(const std::filesystem::path& file, Random& random) {
  if (std::filesystem::exists(file)) return ReadAdminKey(file);
  AdminKey key{NewKey(random), true};
  // Written under another name first: a crash leaves no half a key behind.
  const auto fresh = std::filesystem::path(file.string() + ".new");
  std::error_code ignored;
  std::filesystem::remove(fresh, ignored);
  int error = WriteNewFile(fresh, key.text + '\n');
  if (error == 0 && rename(fresh.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0)
    return fmt::format("cannot create the admin key {}: {}", file.string(), std::strerror(error));
  SyncFolder(file.parent_path());
  return key;
}

}  // namespace maejin::cli
