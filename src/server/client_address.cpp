#include "server/client_address.h"

#include <optional>

#include <fmt/format.h>

#include "base/numbers.h"

namespace maejin::http {
namespace {

using boost::asio::ip::address;
using Bytes = boost::asio::ip::address_v6::bytes_type;

Bytes ToBytes(const address& from) {
  if (from.is_v6()) return from.to_v6().to_bytes();
  const auto v4 = from.to_v4().to_bytes();
  Bytes bytes{};
  bytes[10] = bytes[11] = 0xff;
  std::copy(v4.begin(), v4.end(), bytes.begin() + 12);
  return bytes;
}

std::optional<address> ToAddress(std::string_view text) {
  boost::system::error_code error;
  auto parsed = boost::asio::ip::make_address(text, error);
  if (error) return {};
  if (parsed.is_v6() && parsed.to_v6().is_v4_mapped()) {
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, parsed.to_v6());
  }
  return parsed;
}

// "1.2.3.4", "1.2.3.4:80", "[::1]", "[::1]:80", "::1".
std::optional<address> ToNode(std::string_view text) {
  if (text.size() > 2 && text.front() == '[') {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return {};
    return ToAddress(text.substr(1, end - 1));
  }
  const auto colon = text.find(':');
  if (colon != std::string_view::npos && text.rfind(':') == colon) text = text.substr(0, colon);
  return ToAddress(text);
}

// The for= of one element of a Forwarded header.
std::string_view ForParameter(std::string_view element) {
  while (!element.empty()) {
    const auto end = element.find(';');
    auto pair = element.substr(0, end);
    element = end == std::string_view::npos ? std::string_view{} : element.substr(end + 1);
    while (!pair.empty() && pair.front() == ' ') pair.remove_prefix(1);
    if (!EqualIgnoringCase(pair.substr(0, 4), "for=")) continue;
    auto value = pair.substr(4);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return value;
  }
  return {};
}

}  // namespace

Result<ProxyTrust, std::string> ProxyTrust::Parse(const std::vector<std::string>& networks) {
  ProxyTrust trust;
  for (const std::string& text : networks) {
    const auto slash = text.find('/');
    const auto base = ToAddress(std::string_view(text).substr(0, slash));
    if (!base) return fmt::format("\"{}\" is not an address or a network like 10.0.0.0/8", text);
    const unsigned width = base->is_v4() ? 32 : 128;
    std::optional<unsigned> bits = width;
    if (slash != std::string::npos)
      bits = ParseInt<unsigned>(std::string_view(text).substr(slash + 1), 0, width);
    if (!bits) return fmt::format("\"{}\": the length of the network must be 0…{}", text, width);
    trust.networks_.push_back({ToBytes(*base), *bits + 128 - width});
  }
  return trust;
}

bool ProxyTrust::Trusts(const address& peer) const {
  if (networks_.empty()) return false;
  const auto bytes = ToBytes(peer);
  for (const auto& network : networks_) {
    bool same = true;
    for (unsigned bit = 0; same && bit < network.bits; bit += 8) {
      const unsigned left = network.bits - bit;
      const auto mask = static_cast<unsigned char>(left >= 8 ? 0xff : 0xff << (8 - left));
      same = ((bytes[bit / 8] ^ network.prefix[bit / 8]) & mask) == 0;
    }
    if (same) return true;
  }
  return false;
}

std::string ProxyTrust::ClientOf(const RequestHead& head) const {
  // The nearest proxy comes last. A list may be spread over several fields.
  std::vector<std::string_view> x_forwarded;
  std::vector<std::string_view> forwarded;
  for (const auto& field : head) {
    if (EqualIgnoringCase(field.name, "X-Forwarded-For")) {
      ForEachListed(field.value, [&](std::string_view part) { return x_forwarded.push_back(part), true; });
    } else if (EqualIgnoringCase(field.name, "Forwarded")) {
      ForEachListed(field.value,
                    [&](std::string_view part) { return forwarded.push_back(ForParameter(part)), true; });
    }
  }
  // An entry that is no address ("unknown", "_hidden") ends the chain.
  const auto first_stranger = [&](const std::vector<std::string_view>& chain) {
    std::string client;
    for (auto hop = chain.rbegin(); hop != chain.rend(); ++hop) {
      const auto node = ToNode(*hop);
      if (!node) break;
      client = node->to_string();
      if (!Trusts(*node)) break;
    }
    return client;
  };
  return first_stranger(x_forwarded.empty() ? forwarded : x_forwarded);
}

}  // namespace maejin::http
