// Any bytes as a queue token are refused unless they are exactly a valid token. Half of the inputs are a
// valid token with replaced bytes, so that the fuzzer gets past the first dot. Also checks that base64url
// texts are unique.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/crypto.h"
#include "domain/waiting_room/place_token.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;
const maejin::KeyRing& Keys() {
  static const auto ring = [] {
    auto keys = std::make_unique<maejin::KeyRing::Keys>();
    keys->macs.push_back({1, maejin::HmacSha256("a key of thirty-two bytes, no less")});
    return std::make_unique<maejin::KeyRing>(std::move(keys));
  }();
  return *ring;
}

const std::string& Ours() {
  static const auto token = [] {
    std::string text;
    maejin::AppendPlaceToken(Keys(), {"main", "ann", 7, 1}, text);
    return text;
  }();
  return token;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto text = data[0] % 2 == 0 ? std::string(rest) : maejin::fuzz::Altered(Ours(), rest);
  maejin::PlaceToken token;
  Must(token.Read(Keys(), text) == (text == Ours()));
  const auto bytes = maejin::DecodeBase64Url(text);
  if (bytes) Must(maejin::EncodeBase64Url(*bytes) == text);
  return 0;
}
