#include "domain/booking/payment_signature.h"

#include <algorithm>

#include "base/hex.h"
#include "base/numbers.h"

namespace maejin {
namespace {

std::string Message(std::string_view timestamp, std::string_view body) {
  std::string message;
  message.reserve(timestamp.size() + 1 + body.size());
  message.append(timestamp).append(1, '.').append(body);
  return message;
}

}  // namespace

PaymentSignature::PaymentSignature(const std::vector<std::string>& secrets) {
  for (const auto& secret : secrets) keys_.emplace_back(secret);
}

std::string PaymentSignature::Sign(std::string_view timestamp, std::string_view body) const {
  return HexText(AsText(keys_.front().Mac(Message(timestamp, body))));
}

// Checks the signature before the time, because a timestamp without a valid signature proves nothing.
Outcome<Done> PaymentSignature::Verify(std::string_view timestamp, std::string_view signature,
                                       std::string_view body, Time now) const {
  Digest mac{};
  if (!ReadHex(signature, mac)) return Refusal::kSignatureInvalid;
  const auto message = Message(timestamp, body);
  const bool ours = std::any_of(keys_.begin(), keys_.end(),
                                [&](const HmacSha256& key) { return key.Verify(message, AsText(mac)); });
  const auto seconds = ParseInt<std::int64_t>(timestamp);
  if (!ours || !seconds) return Refusal::kSignatureInvalid;
  // The times are compared in whole seconds, because a timestamp far in the past or future would overflow
  // `Time`.
  const auto now_seconds = ToMillis(now) / 1000;
  if (*seconds < now_seconds - kWindow.count() || *seconds > now_seconds + kWindow.count())
    return Refusal::kSignatureExpired;
  return Done{};
}

}  // namespace maejin
