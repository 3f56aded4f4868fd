#include "usecase/masked_user.h"

#include "base/crypto.h"

namespace maejin {
namespace {

constexpr std::size_t kHashBytes = 16;

}  // namespace

std::string MaskedUser(const KeyRing& keys, const UserId& user) {
  const auto mac = keys.CurrentMac()->hmac.Mac("erased user\n" + user);
  return "user " + EncodeBase64Url(AsText(mac).substr(0, kHashBytes));
}

}  // namespace maejin
