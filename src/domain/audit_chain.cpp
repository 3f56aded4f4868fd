#include "domain/audit_chain.h"

#include <fmt/format.h>

#include "base/crypto.h"

namespace maejin {

// Each text is prefixed with its length, so that different entries never hash the same input.
std::string AuditHash(std::string_view before, std::int64_t id, const AuditEntry& entry) {
  const auto text = fmt::format("{}\n{}\n{}\n{}:{}{}:{}{}:{}{}:{}", before, id, ToMillis(entry.at),
                                entry.actor.size(), entry.actor, entry.action.size(), entry.action,
                                entry.subject.size(), entry.subject, entry.detail.size(), entry.detail);
  return EncodeBase64Url(AsText(Sha256(text)));
}

}  // namespace maejin
