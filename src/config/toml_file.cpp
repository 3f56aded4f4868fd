#include "config/toml_file.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

// toml++ asserts on some malformed files ("[[["); without assertions it reports an error.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

namespace maejin::config {
namespace {

using Error = std::string;

bool ListText(const toml::array& list, std::string& text) {
  for (const auto& element : list) {
    const auto* item = element.as_string();
    if (item == nullptr || item->get().find(',') != std::string::npos) return false;
    if (!text.empty()) text += ',';
    text += item->get();
  }
  return true;
}

bool ValueText(const toml::node& node, std::string& text) {
  if (const auto* string = node.as_string()) {
    text = string->get();
  } else if (const auto* integer = node.as_integer()) {
    text = std::to_string(integer->get());
  } else if (const auto* boolean = node.as_boolean()) {
    text = boolean->get() ? "true" : "false";
  } else if (const auto* list = node.as_array()) {
    return ListText(*list, text);
  } else {
    return false;
  }
  return true;
}

// Appends the entries of `table`. Returns a sentence about the first value that cannot be a setting, or an
// empty text.
Error Flatten(const toml::table& table, const std::string& prefix, const std::string& file,
              std::vector<TomlEntry>& entries) {
  for (const auto& [name, node] : table) {
    auto key = prefix + std::string(name.str());
    if (const auto* inner = node.as_table()) {
      if (auto error = Flatten(*inner, key + '.', file, entries); !error.empty()) return error;
      continue;
    }
    const unsigned line = node.source().begin.line;
    std::string value;
    if (!ValueText(node, value)) {
      return fmt::format(
          "{}:{}: {} must be a text, a whole number, true, false, or a list of texts without commas", file,
          line, key);
    }
    entries.push_back({std::move(key), std::move(value), line});
  }
  return {};
}

// Skips a text from its opening quote. Returns the offset after the closing quote, or of the end of the text
// line.
std::size_t SkipText(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n') {
    const bool escapes = quote == '"' && text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n';
    at += escapes ? 2U : 1U;
  }
  return at < text.size() && text[at] == quote ? at + 1 : at;
}

// A sentence about the first text that toml++ 3.3 cannot parse safely; empty: there is none. Its test for
// white space has undefined behaviour for many characters beyond ASCII. toml++ uses this test outside of
// texts and comments, and in texts of several lines.
std::string FindUnsafe(std::string_view text, const std::string& file) {
  int line = 1;
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at < text.size()) {
    const char here = text[at];
    if (here == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (const auto three = text.substr(at, 3); three == R"(""")" || three == "'''") {
      return fmt::format("{}:{}: a text of several lines: no setting has one", file, line);
    } else if (here == '"' || here == '\'') {
      at = SkipText(text, at);
    } else if (static_cast<unsigned char>(here) >= 0x80) {
      return fmt::format("{}:{}: a character beyond ASCII outside of a text or comment", file, line);
    } else {
      line += here == '\n' ? 1 : 0;
      ++at;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<TomlEntry>, std::string> ReadTomlFile(const std::filesystem::path& file) {
  const auto name = file.string();
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    return fmt::format("cannot read the configuration file {}", name);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return ParseToml(text, name);
}

Result<std::vector<TomlEntry>, std::string> ParseToml(std::string_view text, const std::string& name) {
  if (auto error = FindUnsafe(text, name); !error.empty()) return error;
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    return fmt::format("{}:{}: {}", name, error.source().begin.line, error.description());
  }
  std::vector<TomlEntry> entries;
  if (auto error = Flatten(table, "", name, entries); !error.empty()) return error;
  return entries;
}

}  // namespace maejin::config
