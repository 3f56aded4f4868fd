// Sends webhooks and probes with libcurl. The client has its own thread, with a lower priority than the
// serving threads.
//
// The client checks the address of each connection after the name was resolved, when it opens the socket. So
// an attacker gains nothing from a name whose address changes between two look-ups. Redirects are not
// followed, proxies of the environment are not used, certificates are verified. This header does not
// include libcurl.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/site_probe.h"
#include "store/webhook_client.h"

namespace maejin::webhook {

struct ClientOptions {
  bool allow_private = false;
  std::string ca_file = {};  // PEM; empty: the authorities that the system trusts
  Millis connect_timeout{5'000};
  Millis timeout{15'000};                  // of a whole webhook
  Millis probe_timeout = kFullLoadAnswer;  // of a whole probe
};

class CurlClient final : public WebhookClient, public SiteProbe {
 public:
  // Throws std::runtime_error with a sentence for the operator.
  explicit CurlClient(ClientOptions options);
  // Tasks of Post() and Get() must have ended.
  ~CurlClient() override;

  Task<WebhookAnswer> Post(std::string url, SignedWebhook webhook) override;
  Task<ProbeAnswer> Get(std::string url) override;
  Task<Outcome<Done>> CheckTarget(std::string url) override;

  // Webhooks and probes in flight, and all later ones, end at once without an answer.
  void Stop();

 private:
  class Impl;
  struct Answered;
  Task<Answered> Ask(std::string url, std::optional<SignedWebhook> webhook);
  std::unique_ptr<Impl> impl_;
};

}  // namespace maejin::webhook
