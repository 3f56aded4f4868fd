// A user token is accepted only if its three parts are exactly those that were signed. Half of the inputs are
// a valid token with replaced bytes. Any text as a key set gives keys or a sentence.
#include "base/jwt.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;

constexpr std::string_view kSecret = "a secret of thirty-two bytes or more";
const maejin::Time kNow = maejin::TimeFromMillis(1'800'000'000'000);

const std::string& Ours() {
  static const auto token =
      maejin::JwtSigner::FromSecret(kSecret).value().Sign(R"({"sub":"ann","exp":1900000000,"iss":"shop"})");
  return token;
}

const maejin::JwtVerifier& Verifier() {
  static const auto verifier = [] {
    auto made = maejin::JwtVerifier::FromKey(kSecret).value();
    made.Expect({.issuer = "shop", .audience = ""});
    return made;
  }();
  return verifier;
}

// Signs any claims: the claims are parsed only behind a valid signature.
void CheckClaims(std::string_view claims) {
  const auto token = maejin::JwtSigner::FromSecret(kSecret).value().Sign(claims);
  const auto read = Verifier().Verify(token, kNow);
  if (read.ok()) Must(!read.value().subject.empty() && read.value().expires_at > kNow - maejin::Seconds{61});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  maejin::fuzz::Input input(data, size);
  const auto kind = input.Byte() % 4;
  const auto rest = input.Rest();
  if (kind == 0) {
    Must(Verifier().Verify(rest, kNow).ok() == (rest == Ours()));
  } else if (kind == 1) {
    const auto text = maejin::fuzz::Altered(Ours(), rest);
    Must(Verifier().Verify(text, kNow).ok() == (text == Ours()));
  } else if (kind == 2) {
    CheckClaims(rest);
  } else {
    const auto keys = maejin::JwtVerifier::FromJwks(rest);
    if (!keys.ok()) Must(!keys.error().empty());
    if (keys.ok()) Must(!keys.value().Verify(Ours(), kNow).ok());
  }
  return 0;
}
