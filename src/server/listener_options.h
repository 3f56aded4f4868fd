// One of the addresses that the server listens on.
#pragma once

#include <cstdint>

namespace maejin::http {

struct ListenerOptions {
  enum class Serves : std::uint8_t {
    kAll,
    kPublic,    // all routes but those of operators, which have another address
    kRedirect,  // redirects to the HTTPS address
  };
  Serves serves = Serves::kAll;
  bool tls = false;
  std::uint16_t https_port = 443;  // kRedirect: the port of the URL that it redirects to
};

}  // namespace maejin::http
