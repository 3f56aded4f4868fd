#include "base/json_writer.h"

#include <cstdint>
#include <cstring>

#include "base/utf8.h"

namespace maejin {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Plain: ASCII without control characters and without the characters that JSON escapes.
bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

// The same for eight bytes at once. A subtraction sets the highest bit of a byte that is too small.
bool AreEightPlain(const char* text) {
  constexpr std::uint64_t kEveryByte = 0x0101010101010101;
  constexpr std::uint64_t kQuotes = '"' * kEveryByte;
  constexpr std::uint64_t kBackslashes = '\\' * kEveryByte;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof bytes);
  const auto not_plain = bytes | (bytes - 0x20 * kEveryByte) | ((bytes ^ kQuotes) - kEveryByte) |
                         ((bytes ^ kBackslashes) - kEveryByte);
  return (not_plain & 0x80 * kEveryByte) == 0;
}

std::size_t PlainLength(std::string_view text) {
  std::size_t length = 0;
  while (length + 8 <= text.size() && AreEightPlain(text.data() + length)) length += 8;
  while (length < text.size() && IsPlain(text[length])) ++length;
  return length;
}

void AppendEscaped(std::string& out, char c) {
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
  auto plain = PlainLength(text);
  // Most texts are short and plain: such a text is quoted on the stack and appended by one call.
  char quoted[64];
  if (plain == text.size() && plain + 2 <= sizeof quoted) {
    quoted[0] = quoted[plain + 1] = '"';
    std::memcpy(quoted + 1, text.data(), plain);
    out.append(quoted, plain + 2);
    return;
  }
  out += '"';
  for (;; plain = PlainLength(text)) {
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
