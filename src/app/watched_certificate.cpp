#include "app/watched_certificate.h"

#include "base/log.h"

namespace maejin::app {
namespace {

constexpr Millis kLookEvery{1000};

}  // namespace

WatchedCertificate::Times WatchedCertificate::TimesOf() const {
  std::error_code error;
  const auto cert = std::filesystem::last_write_time(files_.cert_file, error);
  const auto key = std::filesystem::last_write_time(files_.key_file, error);
  return {cert, key};
}

Result<Done, std::string> WatchedCertificate::Open(http::Server& server, http::TlsFiles files,
                                                   Metrics& metrics) {
  files_ = std::move(files);
  seen_ = TimesOf();
  const auto loaded = server.LoadCertificate(files_);
  if (!loaded) return loaded;
  server_ = &server;
  metrics.AddGaugeOf(
      "maejin_tls_certificate_expiry_seconds", "When the certificate ends, in seconds since 1970.",
      [&server] { return static_cast<double>(ToMillis(server.certificate_expires_at())) / 1000; });
  ticker_.emplace(kLookEvery, [this] { Tick(); });
  return Done{};
}

Result<Done, std::string> WatchedCertificate::Reload() {
  if (!server_) return Done{};
  return server_->LoadCertificate(files_);
}

// While both files are being replaced, certificate and key may not match, and the load fails. The change of
// the second file then causes the next load.
void WatchedCertificate::Tick() {
  const auto now = TimesOf();
  if (now == seen_) return;
  seen_ = now;
  const auto loaded = Reload();
  if (loaded) {
    LogInfo("tls: loaded the new certificate; it ends {}", FormatTime(server_->certificate_expires_at()));
  } else {
    LogError("tls: keeping the previous certificate: {}", loaded.error());
  }
}

}  // namespace maejin::app
