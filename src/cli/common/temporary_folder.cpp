#include "cli/common/temporary_folder.h"

#include <cstdlib>

namespace maejin::cli {

TemporaryFolder::TemporaryFolder(const std::string& name) {
  auto pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace maejin::cli
