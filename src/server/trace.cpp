#include "server/trace.h"

#include <algorithm>

#include "base/ascii.h"

namespace maejin::http {
namespace {

constexpr std::size_t kLongestId = 128;
constexpr std::string_view kTraceVersion = "00-";
constexpr std::size_t kTraceSize = 55;

bool IsIdCharacter(char c) {
  return IsLetterOrDigit(c) || std::string_view("-_.:/+=@").find(c) != std::string_view::npos;
}

bool IsHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string_view RequestId(std::string_view text) {
  const bool good = text.size() <= kLongestId && std::all_of(text.begin(), text.end(), IsIdCharacter);
  return good ? text : std::string_view();
}

std::string_view TraceParent(std::string_view text) {
  const bool good = text.size() == kTraceSize && text.starts_with(kTraceVersion) && text[35] == '-' &&
                    text[52] == '-' && IsHex(text.substr(3, 32)) && IsHex(text.substr(36, 16)) &&
                    IsHex(text.substr(53));
  return good ? text : std::string_view();
}

void AddTrace(const Request& request, Response& response) {
  response.AddHeader("X-Request-Id", request.request_id);
  if (!request.traceparent.empty()) response.AddHeader("traceparent", request.traceparent);
}

}  // namespace maejin::http
