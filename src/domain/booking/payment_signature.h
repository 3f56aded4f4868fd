// The signature of messages between maejin and the operator's payment service: HMAC-SHA-256 over the time of
// sending, a dot and the body, in hexadecimal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/time.h"
#include "domain/refusal.h"

namespace maejin {

// Thread-safe.
class PaymentSignature {
 public:
  // A message is valid for this long before and after its timestamp.
  static constexpr Seconds kWindow{300};

  // The first secret signs; all of them are accepted, so that secrets can be rotated. Precondition: at least
  // one.
  explicit PaymentSignature(const std::vector<std::string>& secrets);

  // `timestamp`: whole seconds since 1970, as text, as in the message.
  std::string Sign(std::string_view timestamp, std::string_view body) const;
  // Refuses: kSignatureInvalid (no secret made the signature, it is not 64 hexadecimal digits, or the
  // timestamp is not a number), kSignatureExpired.
  Outcome<Done> Verify(std::string_view timestamp, std::string_view signature, std::string_view body,
                       Time now) const;

 private:
  std::vector<HmacSha256> keys_;
};

}  // namespace maejin
