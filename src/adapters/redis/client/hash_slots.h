// Redis Cluster: the hash slot of a key, and the server that serves the hash slot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/reply.h"

namespace maejin::redis {

using HashSlot = std::uint16_t;
inline constexpr std::size_t kHashSlots = 16384;

struct Endpoint {
  std::string host;
  std::uint16_t port = 6379;

  // "host:port"; IPv6 in brackets.
  std::string ToString() const;
  // Parses "host:port", "[v6]:port", or "v6:port" as the cluster writes it. Absent: host or port is missing.
  static std::optional<Endpoint> Parse(std::string_view text);
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

// CRC16 (XMODEM) of the key or, if it has one, of its hash tag: the text between the first '{' and the next
// '}', unless that is empty.
HashSlot HashSlotOf(std::string_view key);

class HashSlotMap {
 public:
  // Decodes the reply to CLUSTER SLOTS. `asked`: the server that answered, which names itself "" if it does
  // not know its address. Absent: the reply has another form, or covers no hash slot.
  static std::optional<HashSlotMap> Decode(const Reply& reply, const Endpoint& asked);

  // Null: no known server serves the hash slot.
  const Endpoint* Owner(HashSlot hash_slot) const;
  void SetOwner(HashSlot hash_slot, const Endpoint& owner);
  // Every primary once.
  const std::vector<Endpoint>& nodes() const { return nodes_; }

 private:
  std::uint16_t IndexOf(const Endpoint& node);

  static constexpr std::uint16_t kNoOwner = UINT16_MAX;
  std::vector<Endpoint> nodes_;
  std::vector<std::uint16_t> owners_ = std::vector<std::uint16_t>(kHashSlots, kNoOwner);  // index into nodes_
};

}  // namespace maejin::redis
