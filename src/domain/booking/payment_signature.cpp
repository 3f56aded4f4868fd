#include "domain/booking/payment_signature.h"

#include <algorithm>

#include "base/numbers.h"

namespace maejin {
namespace {

std::string Message(std::string_view timestamp, std::string_view body) {
  std::string message;
  message.reserve(timestamp.size() + 1 + body.size());
  message.append(timestamp).append(1, '.').append(body);
  return message;
}

int Digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<std::string> FromHex(std::string_view text) {
  if (text.size() != 2 * Digest{}.size()) return {};
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = Digit(text[i]);
    const int low = Digit(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

}  // namespace

PaymentSignature::PaymentSignature(const std::vector<std::string>& secrets) {
  for (const auto& secret : secrets) keys_.emplace_back(secret);
}

std::string PaymentSignature::Sign(std::string_view timestamp, std::string_view body) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const auto byte : keys_.front().Mac(Message(timestamp, body))) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// Checks the signature before the time, because a timestamp without a valid signature proves nothing.
Outcome<Done> PaymentSignature::Verify(std::string_view timestamp, std::string_view signature,
                                       std::string_view body, Time now) const {
  const auto mac = FromHex(signature);
  if (!mac) return Refusal::kSignatureInvalid;
  const auto message = Message(timestamp, body);
  const bool ours = std::any_of(keys_.begin(), keys_.end(),
                                [&](const HmacSha256& key) { return key.Verify(message, *mac); });
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
