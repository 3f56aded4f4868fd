#include "domain/audit_chain.h"

#include <fmt/format.h>

#include "base/crypto.h"

namespace maejin {
namespace {

std::string TextOf(std::int64_t id, std::string_view hash) { return fmt::format("audit\n{}\n{}", id, hash); }

}  // namespace

// Each text is prefixed with its length, so that different entries never hash the same input.
std::string AuditHash(std::string_view before, std::int64_t id, const AuditEntry& entry) {
  const auto text = fmt::format("{}\n{}\n{}\n{}:{}{}:{}{}:{}{}:{}", before, id, ToMillis(entry.at),
                                entry.actor.size(), entry.actor, entry.action.size(), entry.action,
                                entry.subject.size(), entry.subject, entry.detail.size(), entry.detail);
  return EncodeBase64Url(AsText(Sha256(text)));
}

std::string AuditMac(const KeyRing& keys, std::int64_t id, std::string_view hash) {
  return EncodeBase64Url(AsText(keys.CurrentMac()->hmac.Mac(TextOf(id, hash))));
}

bool IsAuditMac(const KeyRing& keys, std::int64_t id, std::string_view hash, std::string_view mac) {
  const auto bytes = DecodeBase64Url(mac);
  if (!bytes) return false;
  const auto all = keys.keys();
  for (const auto& key : all->macs) {
    if (key.hmac.Verify(TextOf(id, hash), *bytes)) return true;
  }
  return false;
}

}  // namespace maejin
