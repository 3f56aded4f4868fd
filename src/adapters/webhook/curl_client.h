// Sends webhooks, and asks sites for their health, with libcurl, on a thread of its own with a lower priority
// than the serving threads.
//
// The address of each connection is checked after the name was resolved, when its socket is opened: a name
// that changes its address between two look-ups gains nothing. Redirects are not followed, proxies of the
// environment are not used, certificates are verified. libcurl stays behind this header.
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
  Millis timeout{15'000};                  // of a whole attempt
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

  // Ends the attempts in flight, and every later attempt at once, without an answer.
  void Stop();

 private:
  class Impl;
  struct Answered;
  Task<Answered> Ask(std::string url, std::optional<SignedWebhook> webhook);
  std::unique_ptr<Impl> impl_;
};

}  // namespace maejin::webhook
