// `maejin keys rotate`: new signing keys, with overlap.
#pragma once

#include <filesystem>
#include <string_view>

#include "adapters/embedded/audit_log.h"
#include "base/key_ring.h"
#include "base/random.h"
#include "cli/verb.h"

namespace maejin::cli {

// What a rotation touches. All of it outlives the call.
struct KeyRotation {
  const std::filesystem::path& folder;
  Random& random;
  KeyRing& ring;
  embedded::AuditLog& audit;
};
// Rotates, and appends a row to the audit that says who did it and what the new pass key is called. The ticket is
// the row's; the error is a sentence for the operator.
Result<embedded::Ticket, std::string> RotateKeys(const KeyRotation& rotation, std::string_view actor,
                                                 Time now);

// Through the running server, or in the key folder itself where none runs.
int RunKeysRotate(const Invocation& invocation);

}  // namespace maejin::cli
