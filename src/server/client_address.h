// Whose request it is. A proxy's word about the client counts only where the operator trusts that proxy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/result.h"
#include "server/request_head.h"

namespace maejin::http {

class ProxyTrust {
 public:
  // Networks as "10.0.0.0/8" or single addresses. The error is a sentence for the operator.
  static Result<ProxyTrust, std::string> Parse(const std::vector<std::string>& networks);

  ProxyTrust() = default;
  bool Trusts(const boost::asio::ip::address& address) const;
  bool empty() const { return networks_.empty(); }

  // The last address before our own chain of trusted proxies, from X-Forwarded-For or Forwarded; empty where
  // the headers name none, or name two different ones: a proxy writes one of the two headers, and what the
  // other says may be the client's invention.
  std::string ClientOf(const RequestHead& head) const;

 private:
  struct Network {
    boost::asio::ip::address_v6::bytes_type prefix;  // IPv4 as ::ffff:a.b.c.d
    unsigned bits;
  };
  std::vector<Network> networks_;
};

}  // namespace maejin::http
