// The admin key: one line in a file, 256 random bits in hexadecimal, created on first start. There is no
// default.
#pragma once

#include <filesystem>
#include <string>

#include "base/random.h"
#include "base/result.h"

namespace maejin::cli {

struct AdminKey {
  std::string text;
  bool created = false;
};

// The key in `file`. The error is a sentence: unreadable, or shorter than 16 characters.
Result<AdminKey, std::string> ReadAdminKey(const std::filesystem::path& file);

// The same; a file that is missing is created first (mode 0600, on disk before this returns).
Result<AdminKey, std::string> ReadOrCreateAdminKey(const std::filesystem::path& file, Random& random);

}  // namespace maejin::cli
