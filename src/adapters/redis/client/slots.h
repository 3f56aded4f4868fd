// Redis Cluster's map: which of 16,384 slots a key lies in, and which node serves a slot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/reply.h"

namespace maejin::redis {

using Slot = std::uint16_t;
inline constexpr std::size_t kSlots = 16384;

struct Endpoint {
  std::string host;
  std::uint16_t port = 6379;

  // "host:port"; IPv6 in brackets.
  std::string ToString() const;
  // Of "host:port", "[v6]:port" or "v6:port" as the cluster writes it. Absent unless both parts are there.
  static std::optional<Endpoint> Parse(std::string_view text);
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

// CRC16 (XMODEM) of the key, or of what stands between its first '{' and the next '}' where that is not
// empty.
Slot SlotOf(std::string_view key);

class SlotMap {
 public:
  // From the answer to CLUSTER SLOTS, asked at `asked` (a node that does not know its own address says "").
  // Absent where the answer is not one, or covers no slot.
  static std::optional<SlotMap> FromReply(const Reply& reply, const Endpoint& asked);

  // Absent: nobody serves the slot as far as we know.
  const Endpoint* Owner(Slot slot) const;
  void SetOwner(Slot slot, const Endpoint& owner);
  // Every primary, once.
  const std::vector<Endpoint>& nodes() const { return nodes_; }

 private:
  std::uint16_t IndexOf(const Endpoint& node);

  static constexpr std::uint16_t kNobody = UINT16_MAX;
  std::vector<Endpoint> nodes_;
  std::vector<std::uint16_t> owners_ = std::vector<std::uint16_t>(kSlots, kNobody);  // index into nodes_
};

}  // namespace maejin::redis
