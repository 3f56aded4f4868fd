#include "http/waiting_room/site_pass.h"

#include "http/cookies.h"

namespace maejin::http {

std::string SiteCookie(std::string_view room) { return "maejin-" + std::string(room); }

std::string_view SitePassIn(const Request& request, std::string_view room) {
  const auto header = request.Header("X-Maejin-Pass");
  if (!header.empty()) return header;
  const auto cookies = request.Header("Cookie");
  if (cookies.empty()) return {};
  const auto own = SiteCookie(room);
  auto found = FindCookie(cookies, std::string(kSecurePrefix) + own);
  if (found.empty()) found = FindCookie(cookies, own);
  if (found.empty()) found = FindCookie(cookies, "maejin_pass");
  return found;
}

}  // namespace maejin::http
