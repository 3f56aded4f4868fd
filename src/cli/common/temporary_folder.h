// A folder of its own for as long as it is needed.
#pragma once

#include <filesystem>
#include <string>

namespace maejin::cli {

class TemporaryFolder {
 public:
  // `name` begins the folder's name. path() is empty where none could be made.
  explicit TemporaryFolder(const std::string& name);
  // Removes it with all that is in it.
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace maejin::cli
