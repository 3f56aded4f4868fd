#include "usecase/manage_keys.h"

#include "base/ids.h"

namespace maejin {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kIdDigits = 16;
// Secret scanners find a leaked key by this prefix.
constexpr std::string_view kKeyPrefix = "maejin_";

}  // namespace

Task<Outcome<ManageKeys::NewKey>> ManageKeys::Create(std::string name, OperatorRole role,
                                                     std::optional<Time> expires_at, std::string actor) {
  const auto now = clock_.Now();
  if (expires_at && *expires_at <= now)
    co_return Refused{Refusal::kInvalidField, "expiresAt: must be in the future"};
  std::array<std::byte, kKeyBytes> secret{};
  random_.Fill(secret);
  const std::string_view bytes(reinterpret_cast<const char*>(secret.data()), secret.size());
  NewKey made{Id128::Random(random_).ToString().substr(0, kIdDigits),
              std::string(kKeyPrefix) + EncodeBase64Url(bytes)};
  OperatorKey key{made.id, std::move(name), role, now, expires_at};
  Operator acting_operator{std::move(actor), now};
  const auto added = co_await store_.Add(std::move(key), Sha256(made.key), std::move(acting_operator));
  if (!added) co_return added.error();
  co_return made;
}

Task<Outcome<Done>> ManageKeys::Delete(std::string id, std::string actor) {
  Operator acting_operator{std::move(actor), clock_.Now()};
  return store_.Remove(std::move(id), std::move(acting_operator));
}

}  // namespace maejin
