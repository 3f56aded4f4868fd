// The roles of operators' keys. Each role may do all that the roles before it may.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace maejin {

enum class OperatorRole : std::uint8_t {
  kViewer,     // reads
  kBoxOffice,  // single bookings, tickets
  kOperator,   // concerts, rooms
  kOwner,      // keys, webhooks, imports, corrections, erasure
};

inline constexpr std::array<std::string_view, 4> kRoleNames = {"viewer", "box-office", "operator", "owner"};

constexpr std::string_view Name(OperatorRole role) { return kRoleNames[static_cast<std::size_t>(role)]; }

constexpr std::optional<OperatorRole> RoleOf(std::string_view name) {
  for (std::size_t i = 0; i < kRoleNames.size(); ++i)
    if (kRoleNames[i] == name) return static_cast<OperatorRole>(i);
  return {};
}

// The actor in the audit log for requests with the key of the admin key file.
inline constexpr std::string_view kFileKeyActor = "admin";

}  // namespace maejin
