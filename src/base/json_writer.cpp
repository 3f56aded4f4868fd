#include "base/json_writer.h"

#include "base/utf8.h"

namespace maejin {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void AppendEscaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
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
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[static_cast<unsigned char>(c) & 15];
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
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
