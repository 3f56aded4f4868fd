// The operator's key. Kept as a digest, compared in constant time.
#pragma once

#include <optional>
#include <string_view>

#include "base/crypto.h"

namespace maejin::http {

class AdminKey {
 public:
  // No key at all: nobody is the operator.
  AdminKey() = default;
  explicit AdminKey(std::string_view key) {
    if (!key.empty()) digest_ = Sha256(key);
  }
  // The value of an Authorization header: "Bearer <key>".
  bool Accepts(std::string_view authorization) const;

 private:
  std::optional<Digest> digest_;
};

// The token of "Bearer <token>", or an empty view.
std::string_view BearerToken(std::string_view authorization);

}  // namespace maejin::http
