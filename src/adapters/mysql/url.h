// The address of the database: mysql://user:password@host:port/database?tls=…
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace maejin::mysql {

enum class Tls {
  kOff,       // no encryption: loopback, a unix socket, or a private network
  kRequired,  // encrypted; the server's certificate is not checked
  kVerify,    // encrypted; the certificate must be signed by a trusted authority and name the host
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 3306;
  std::string socket = {};  // a unix socket; then host and port are not used
  std::string user = {};
  std::string password = {};
  std::string database = {};
  Tls tls = Tls::kOff;
  std::string tls_ca = {};    // PEM file; empty: the system's authorities
  std::string tls_cert = {};  // PEM files of the client certificate, if the server requires one
  std::string tls_key = {};
  Millis connect_timeout{2000};
  // The longest wait for an answer before the server counts as unreachable.
  Millis read_timeout{4000};
};

// Connections of one node to the database, and how many requests may wait for one.
struct PoolOptions {
  std::size_t connections = 16;
  std::size_t queue = 2048;
  // A request that waited this long for a connection is refused.
  Millis queue_timeout{2000};
};

struct DatabaseUrl {
  ServerOptions server;
  PoolOptions pool;
};

// Everything but the database may be left out. User, password and parameters may be percent-encoded.
// Parameters: tls (off, required, verify; where it is left out: off on loopback and on a socket, verify
// elsewhere), tls-ca, tls-cert, tls-key, socket, connections (1…1000), queue (1…1000000), read-timeout-ms
// (100…600000). The error is a sentence for the operator and never repeats the password.
Result<DatabaseUrl, std::string> ParseUrl(std::string_view url);

// The URL without its password, for logs and `config show`.
std::string Redacted(const ServerOptions& server);

}  // namespace maejin::mysql
