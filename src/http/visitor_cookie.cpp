#include "http/visitor_cookie.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/random.h"
#include "http/cookies.h"
#include "http/site_address.h"

namespace maejin::http {
namespace {

constexpr std::string_view kVisitorCookie = "maejin_visitor";
constexpr std::string_view kVisitorPrefix = "visitor-";

}  // namespace

UserId AnonymousIn(const Request& request) {
  const auto value = FindCookie(request.Header("Cookie"), kVisitorCookie);
  const bool valid = value.starts_with(kVisitorPrefix) && Id128::Parse(value.substr(kVisitorPrefix.size()));
  return valid ? UserId(value) : UserId();
}

UserId NewAnonymous(const Request& request, Response& response) {
  SystemRandom random;
  auto id = std::string(kVisitorPrefix) + Id128::Random(random).ToString();
  response.AddHeader("Set-Cookie", fmt::format("{}={}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax{}",
                                               kVisitorCookie, id, SecureAttribute(request)));
  return id;
}

}  // namespace maejin::http
