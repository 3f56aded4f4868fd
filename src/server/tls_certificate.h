// The certificate of the server's TLS connections. TLS 1.2 and 1.3 with forward secrecy only.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "server/tls_session.h"
#include "server/tls_tickets.h"

namespace boost::asio::ssl {
class context;
}

namespace maejin::http {

struct TlsFiles {
  std::string cert_file;  // PEM: the certificate, then those of its issuers
  std::string key_file;   // PEM
  bool empty() const { return cert_file.empty(); }
};

// Thread-safe.
class TlsCertificate {
 public:
  // New connections use these files from now on. The error is a sentence for the operator; then the previous
  // certificate stays in use.
  Result<Done, std::string> Load(const TlsFiles& files);
  // Call before the first Load(). Without this call, only this process resumes its sessions, until the next
  // Load().
  void UseTickets(TicketSecrets secrets) { tickets_ = std::move(secrets); }
  // The TLS state of a newly accepted connection. Null: no certificate is loaded, or there is no memory.
  TlsSession NewSession() const;
  // When the loaded certificate expires.
  Time expires_at() const;

 private:
  TicketSecrets tickets_;  // or null
  mutable std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> context_;  // guarded by mutex_
  Time expires_at_{};                                   // guarded by mutex_
};

}  // namespace maejin::http
