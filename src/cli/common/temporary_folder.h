// A temporary folder that is removed with the object.
#pragma once

#include <filesystem>
#include <string>

namespace maejin::cli {

class TemporaryFolder {
 public:
  // `name` is the prefix of the folder's name. path() is empty if no folder could be created.
  explicit TemporaryFolder(const std::string& name);
  // Removes the folder and its content.
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace maejin::cli
