// One of the addresses that the server listens on.
#pragma once

#include <cstdint>

namespace maejin::http {

struct ListenerOptions {
  enum class Serves : std::uint8_t {
    kAll,
    kPublic,    // not the operators' routes: they have an address of their own
    kRedirect,  // redirects to the HTTPS address
  };
  Serves serves = Serves::kAll;
  bool tls = false;
  std::uint16_t https_port = 443;  // kRedirect: of the redirection
};

}  // namespace maejin::http
