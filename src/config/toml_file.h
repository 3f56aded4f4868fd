// Reads a TOML file into flat settings. This header does not include toml++, which is slow to compile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace maejin::config {

struct TomlEntry {
  std::string key;    // tables joined by dots: "http.cors-origins"
  std::string value;  // as text; arrays joined by commas
  unsigned line = 0;
};

// The error is a sentence with file and line number: the file is unreadable, is not TOML, or has a value that
// is no text, whole number, boolean or list of texts.
Result<std::vector<TomlEntry>, std::string> ReadTomlFile(const std::filesystem::path& file);
// The same for a text; `name` replaces the file's name in the sentence.
Result<std::vector<TomlEntry>, std::string> ParseToml(std::string_view text, const std::string& name);

}  // namespace maejin::config
