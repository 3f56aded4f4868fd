#include "base/json_writer.h"

#include <array>

#include "base/utf8.h"

namespace maejin {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Printable ASCII without the characters that JSON escapes.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < 0x80; ++byte) plain[byte] = byte != '"' && byte != '\\';
  return plain;
}();

std::size_t PlainLength(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && kPlain[static_cast<unsigned char>(text[length])]) ++length;
  return length;
}

void AppendEscaped(std::string& out, char c) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHexDigits[static_cast<unsigned char>(c) >> 4];
      out += kHexDigits[static_cast<unsigned char>(c) & 15];
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    // Most texts are plain ASCII: copy runs of it.
    const auto plain = PlainLength(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto length = Utf8SequenceLength(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (length == 0) {
      out += kReplacement;
    } else if (c < 0x20 || c == '"' || c == '\\') {
      AppendEscaped(out, text.front());
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace maejin
