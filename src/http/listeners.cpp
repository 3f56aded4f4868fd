#include "http/listeners.h"

#include "base/numbers.h"

namespace maejin::http {

void AppendFrame(std::string_view event, std::string_view id, std::string_view data, std::string& out) {
  out.reserve(out.size() + event.size() + id.size() + data.size() + 32);
  if (!id.empty()) out.append("id: ").append(id).append("\n");
  out.append("event: ").append(event).append("\ndata: ").append(data).append("\n\n");
}

Frame MakeFrame(std::string_view event, std::string_view id, std::string_view data) {
  std::string text;
  AppendFrame(event, id, data, text);
  return std::make_shared<const std::string>(std::move(text));
}

Frame HelloFrame() {
  static const Frame kHello = std::make_shared<const std::string>("retry: 2000\n\n");
  return kHello;
}

std::optional<std::uint64_t> LastEventNumber(const Request& request) {
  return ParseInt<std::uint64_t>(request.Header("Last-Event-ID"));
}

}  // namespace maejin::http
