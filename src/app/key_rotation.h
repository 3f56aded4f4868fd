// Rotation of the signing keys in a data folder, recorded in its audit log.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "adapters/embedded/audit_log.h"
#include "base/key_ring.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"

namespace maejin::app {

// All references outlive the call.
struct KeyRotation {
  const std::filesystem::path& folder;
  Random& random;
  KeyRing& ring;
  embedded::AuditLog& audit;
};
// Rotates the keys and appends an audit row that names the actor and the new pass key. The result is the
// number of the journal's commit with that row, for Journal::Committed(). The error is a sentence for the
// operator.
Result<embedded::Ticket, std::string> RotateKeys(const KeyRotation& rotation, std::string_view actor,
                                                 Time now);

}  // namespace maejin::app
