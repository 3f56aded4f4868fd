#include "server/request.h"

#include "base/take_until.h"
#include "base/url.h"

namespace maejin::http {

std::string_view Name(Method method) {
  constexpr std::string_view kNames[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "OTHER"};
  return kNames[static_cast<std::size_t>(method)];
}

std::optional<std::string> Request::Query(std::string_view name) const {
  std::optional<std::string> found;
  std::string decoded;
  for (auto rest = query; !rest.empty();) {
    auto value = TakeUntil(rest, '&');
    const auto raw_name = TakeUntil(value, '=');
    if (raw_name != name) {
      // A name may be encoded too; most are not.
      if (raw_name.find_first_of("%+") == std::string_view::npos) continue;
      decoded.clear();
      if (!PercentDecode(raw_name, true, decoded) || decoded != name) continue;
    }
    found.emplace();
    // A value that cannot be decoded is kept as sent; the handler refuses it with its field name.
    if (!PercentDecode(value, true, *found)) found->assign(value);
  }
  return found;
}

}  // namespace maejin::http
