// The TLS state of one connection.
#pragma once

#include <memory>

struct ssl_st;

namespace maejin::http {

struct FreeTls {
  void operator()(ssl_st* tls) const;
};
using TlsSession = std::unique_ptr<ssl_st, FreeTls>;

}  // namespace maejin::http
