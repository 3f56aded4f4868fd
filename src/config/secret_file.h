// Secrets in files, one per text line. A missing file is created with 256 random bits in hexadecimal, because
// no secret has a default.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"

namespace maejin::config {

struct Secret {
  std::string text;
  // Further text lines: older secrets that are still accepted.
  std::vector<std::string> others = {};
  bool created = false;
};

// Whether the text lines after the first are secrets as well. With kFirst they are not read.
enum class SecretLines : std::uint8_t { kFirst, kAll };

// The secret in `file`. The error is a sentence that calls the secret `name` ("admin key"). Errors: the file
// is unreadable, every user of the machine may read or write it, or the secret is shorter than 16 characters.
Result<Secret, std::string> ReadSecret(const std::filesystem::path& file, std::string_view name,
                                       SecretLines lines = SecretLines::kFirst);

// The same, but creates a missing file first (mode 0600, synced to disk before this returns).
Result<Secret, std::string> ReadOrCreateSecret(const std::filesystem::path& file, std::string_view name,
                                               Random& random, SecretLines lines = SecretLines::kFirst);

}  // namespace maejin::config
