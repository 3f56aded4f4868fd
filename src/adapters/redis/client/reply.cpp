#include "adapters/redis/client/reply.h"

#include <charconv>

namespace maejin::redis {

bool Reply::IsError(std::string_view code) const {
  if (kind != Kind::kError || !text.starts_with(code)) return false;
  return text.size() == code.size() || text[code.size()] == ' ';
}

std::int64_t Reply::AsInteger() const {
  if (kind == Kind::kInteger) return integer;
  std::int64_t number = 0;
  if (is_text()) std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

const Reply& Reply::At(std::size_t index) const {
  static const Reply nil;
  return index < elements.size() ? elements[index] : nil;
}

std::string InfoField(std::string_view info, std::string_view name) {
  const auto line = "\n" + std::string(name) + ":";
  const auto at = info.find(line);
  if (at == std::string_view::npos) return {};
  const auto value = info.substr(at + line.size());
  return std::string(value.substr(0, value.find_first_of("\r\n")));
}

}  // namespace maejin::redis
