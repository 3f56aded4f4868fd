// The signing keys as files of mode 0600 in one folder: mac-N.key (32 random bytes, base64url) and pass-N.pem
// (P-256). The highest number signs. A rotation adds a number. A server reads the newest kKeysKept files of
// each kind. The operator deletes older files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/key_ring.h"
#include "base/random.h"
#include "base/result.h"

namespace maejin::embedded {

inline constexpr std::size_t kKeysKept = 16;

// True: the folder has a key of each kind. Creates nothing.
bool HasKeys(const std::filesystem::path& folder);

// Reads the keys; creates the first ones if there are none. The error is a sentence for the operator.
Result<std::unique_ptr<KeyRing>, std::string> OpenKeys(const std::filesystem::path& folder, Random& random);

// Adds a new key of each kind, which signs all new tokens and passes. Older tokens and passes stay valid
// while their keys are kept.
Result<Done, std::string> RotateKeys(const std::filesystem::path& folder, Random& random, KeyRing& ring);

}  // namespace maejin::embedded
