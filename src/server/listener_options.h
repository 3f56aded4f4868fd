// One of the addresses that the server listens on.
#pragma once

#include <cstdint>
#include <string_view>

namespace maejin::http {

struct ListenerOptions {
  enum class Serves : std::uint8_t {
    kAll,
    kPublic,    // all routes but those of operators, which have another address
    kRedirect,  // redirects to the HTTPS address
  };
  Serves serves = Serves::kAll;
  bool tls = false;
  std::uint16_t https_port = 443;      // kRedirect: the port of the URL that it redirects to
  std::string_view flag = "--listen";  // the flag that sets the address, for error messages
};

}  // namespace maejin::http
