#include "server/admin_key.h"

#include "server/request_head.h"

namespace maejin::http {

std::string_view BearerToken(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!EqualIgnoringCase(authorization.substr(0, kScheme.size()), kScheme)) return {};
  auto token = authorization.substr(kScheme.size());
  while (!token.empty() && token.front() == ' ') token.remove_prefix(1);
  return token;
}

bool AdminKey::Accepts(std::string_view authorization) const {
  const auto token = BearerToken(authorization);
  if (!digest_ || token.empty()) return false;
  const auto shown = Sha256(token);
  return EqualInConstantTime(AsText(shown), AsText(*digest_));
}

}  // namespace maejin::http
