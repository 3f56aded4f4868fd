#include "app/user_identity.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/jwt.h"

namespace maejin::app {

Result<std::unique_ptr<http::Identity>, std::string> MakeIdentity(const config::Config& config,
                                                                  const Clock& clock) {
  if (config.auth_users == config::UserAuth::kTrusted) return http::MakeTrustedIdentity();
  const bool key_set = !config.auth_jwks.empty();
  const auto& file = key_set ? config.auth_jwks : config.auth_key_file;
  std::ifstream in(file, std::ios::binary);
  if (!in) return fmt::format("cannot read the user token key from {}", file.string());
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto verifier = key_set ? JwtVerifier::FromJwks(text) : JwtVerifier::FromKey(text);
  if (!verifier) return fmt::format("{}: {}", file.string(), verifier.error());
  verifier->Expect({.issuer = config.auth_issuer, .audience = config.auth_audience});
  return http::MakeSignedIdentity(std::move(*verifier), clock);
}

}  // namespace maejin::app
