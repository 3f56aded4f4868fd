// The client address of a request. Forwarding headers count only if a trusted proxy sent them.
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

  // The last address before the chain of trusted proxies, from X-Forwarded-For or else from Forwarded. Empty
  // if the header names none. X-Forwarded-For goes first because nearly all proxies write it, and pass on a
  // Forwarded that the client may have forged.
  std::string ClientOf(const RequestHead& head) const;

 private:
  struct Network {
    boost::asio::ip::address_v6::bytes_type prefix;  // IPv4 as ::ffff:a.b.c.d
    unsigned bits;
  };
  std::vector<Network> networks_;
};

}  // namespace maejin::http
