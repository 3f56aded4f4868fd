#include "config/secret_file.h"
#include "base/hex.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace maejin::config {
namespace {

constexpr std::size_t kShortestKey = 16;
constexpr std::size_t kKeyBytes = 32;

std::string NewKey(Random& random) {
  std::array<std::byte, kKeyBytes> bytes{};
  random.Fill(bytes);
  return HexText({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Writes and syncs the file. Returns 0 or an errno.
int WriteNewFile(const std::filesystem::path& file, const std::string& line) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  errno = ENOSPC;  // a write of fewer bytes sets no error: the disk is full
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

Result<Secret, std::string> ReadSecret(const std::filesystem::path& file, std::string_view name,
                                       SecretLines wanted) {
  struct stat status{};
  if (stat(file.c_str(), &status) == 0 && (status.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    return fmt::format("the file of the {} may be read or written by every user: chmod o= {}", name,
                       file.string());
  }
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() && !lines.empty()) continue;
    if (line.size() < kShortestKey) {
      return fmt::format("the {} in {} is shorter than {} characters", name, file.string(), kShortestKey);
    }
    lines.push_back(line);
    if (wanted == SecretLines::kFirst) break;
  }
  if (lines.empty()) return fmt::format("cannot read the {} from {}", name, file.string());
  return Secret{lines[0], {lines.begin() + 1, lines.end()}};
}

Result<Secret, std::string> ReadOrCreateSecret(const std::filesystem::path& file, std::string_view name,
                                               Random& random, SecretLines lines) {
  if (std::filesystem::exists(file)) return ReadSecret(file, name, lines);
  Secret secret{NewKey(random), {}, true};
  // The key is written under a temporary name, then renamed: a crash leaves no partial key.
  const auto fresh = std::filesystem::path(file.string() + ".new");
  std::error_code ignored;
  std::filesystem::remove(fresh, ignored);
  int error = WriteNewFile(fresh, secret.text + '\n');
  if (error == 0 && rename(fresh.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0)
    return fmt::format("cannot create the {} {}: {}", name, file.string(), std::strerror(error));
  SyncFolder(file.parent_path());
  return secret;
}

}  // namespace maejin::config
