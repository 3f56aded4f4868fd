#include "domain/waiting_room/site_settings.h"

#include <algorithm>

namespace maejin {

std::string_view Name(Visitors visitors) { return visitors == Visitors::kUsers ? "users" : "anonymous"; }

std::string_view Name(Verification verify) { return verify == Verification::kOnline ? "online" : "offline"; }

std::optional<Visitors> ParseVisitors(std::string_view name) {
  for (const auto visitors : {Visitors::kUsers, Visitors::kAnonymous}) {
    if (Name(visitors) == name) return visitors;
  }
  return {};
}

std::optional<Verification> ParseVerify(std::string_view name) {
  for (const auto verify : {Verification::kOnline, Verification::kOffline}) {
    if (Name(verify) == name) return verify;
  }
  return {};
}

std::string JoinLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += text.empty() ? line : "\n" + line;
  return text;
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    lines.emplace_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

}  // namespace maejin
