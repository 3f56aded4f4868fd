#include "server/request.h"

#include "base/url.h"

namespace maejin::http {
namespace {

std::string_view CutAt(std::string_view& rest, char separator) {
  const auto at = rest.find(separator);
  const auto piece = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return piece;
}

}  // namespace

std::optional<std::string> Request::Query(std::string_view name) const {
  std::optional<std::string> found;
  std::string decoded;
  for (auto rest = query; !rest.empty();) {
    auto value = CutAt(rest, '&');
    const auto raw_name = CutAt(value, '=');
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
