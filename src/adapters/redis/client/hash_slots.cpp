#include "adapters/redis/client/hash_slots.h"

#include <algorithm>

#include "base/numbers.h"

namespace maejin::redis {
namespace {

constexpr std::array<std::uint16_t, 256> MakeCrcTable() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}
constexpr auto kCrcTable = MakeCrcTable();

std::uint32_t Crc16(std::string_view bytes) {
  std::uint32_t crc = 0;
  for (const char byte : bytes) {
    crc = (crc << 8 & 0xffff) ^ kCrcTable[(crc >> 8 ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return crc;
}

}  // namespace

std::string Endpoint::ToString() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<Endpoint> Endpoint::Parse(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  auto host = text.substr(0, colon);
  const auto digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const auto port = ParseInt<decltype(Endpoint::port)>(digits);
  if (!port || *port == 0 || host.empty()) return {};
  return Endpoint{std::string(host), *port};
}

HashSlot HashSlotOf(std::string_view key) {
  const auto open = key.find('{');
  if (open != std::string_view::npos) {
    const auto close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
  }
  return static_cast<HashSlot>(Crc16(key) % kHashSlots);
}

std::optional<HashSlotMap> HashSlotMap::Decode(const Reply& reply, const Endpoint& asked) {
  if (!reply.is_array() || reply.elements.empty()) return {};
  HashSlotMap map;
  for (const auto& range : reply.elements) {
    const auto first = range.At(0).AsInteger();
    const auto last = range.At(1).AsInteger();
    const auto& primary = range.At(2);
    const auto port = primary.At(1).AsInteger();
    if (first < 0 || last >= static_cast<std::int64_t>(kHashSlots) || first > last) return {};
    if (port <= 0 || port > UINT16_MAX) return {};
    Endpoint node{primary.At(0).text, static_cast<std::uint16_t>(port)};
    if (node.host.empty()) node.host = asked.host;
    const auto index = map.IndexOf(node);
    std::fill(map.owners_.begin() + first, map.owners_.begin() + last + 1, index);
  }
  return map;
}

const Endpoint* HashSlotMap::Owner(HashSlot hash_slot) const {
  const auto index = owners_[hash_slot];
  return index == kNoOwner ? nullptr : &nodes_[index];
}

void HashSlotMap::SetOwner(HashSlot hash_slot, const Endpoint& owner) { owners_[hash_slot] = IndexOf(owner); }

std::uint16_t HashSlotMap::IndexOf(const Endpoint& node) {
  const auto found = std::find(nodes_.begin(), nodes_.end(), node);
  if (found != nodes_.end()) return static_cast<std::uint16_t>(found - nodes_.begin());
  nodes_.push_back(node);
  return static_cast<std::uint16_t>(nodes_.size() - 1);
}

}  // namespace maejin::redis
