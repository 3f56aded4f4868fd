// Secrets in files: one text line, 256 random bits in hexadecimal, created on first start. No secret has a
// default.
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

// Whether the lines after the first are secrets as well; otherwise they are not read.
enum class SecretLines : std::uint8_t { kFirst, kAll };

// The secret in `file`; `name` ("admin key") is for the error, a sentence: unreadable, open to
// every user of the machine, or shorter than 16 characters.
Result<Secret, std::string> ReadSecret(const std::filesystem::path& file, std::string_view name,
                                       SecretLines lines = SecretLines::kFirst);

// The same, but creates a missing file first (mode 0600, synced to disk before this returns).
Result<Secret, std::string> ReadOrCreateSecret(const std::filesystem::path& file, std::string_view name,
                                               Random& random, SecretLines lines = SecretLines::kFirst);

}  // namespace maejin::config
