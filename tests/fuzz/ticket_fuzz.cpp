// Any bytes as a ticket are refused unless they are exactly a signed one. Half of the inputs are a signed
// ticket with replaced bytes, so that the fuzzer gets past the prefix.
#include <cstdint>
#include <memory>
#include <string>

#include "domain/booking/ticket.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;
const maejin::KeyRing& Keys() {
  static const auto ring = [] {
    auto keys = std::make_unique<maejin::KeyRing::Keys>();
    keys->signers.push_back(maejin::SigningKey::Generate());
    keys->signer_ids.push_back(keys->signers.front().KeyId());
    return std::make_unique<maejin::KeyRing>(std::move(keys));
  }();
  return *ring;
}

const std::string& Signed() {
  static const auto text = maejin::WriteTicket(Keys(), {41, 7, 12, *maejin::ParseDate("2026-12-24")});
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto text = data[0] % 2 == 0 ? std::string(rest) : maejin::fuzz::Altered(Signed(), rest);
  const auto read = maejin::ParseTicket(text);
  if (read) Must(text.starts_with(read->signed_text));
  Must(maejin::ReadTicket(Keys(), text).has_value() == (text == Signed()));
  return 0;
}
