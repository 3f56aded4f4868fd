// Builds the delivery of webhooks: client, sender with its own thread, and the operators' actions.
#pragma once

#include <functional>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>

#include "adapters/webhook/curl_client.h"
#include "app/back_ends.h"
#include "base/metrics.h"
#include "base/random.h"
#include "server/router.h"
#include "usecase/deliver_webhooks.h"
#include "usecase/manage_webhooks.h"

namespace maejin::app {

class WebhookModule {
 public:
  // The references outlive it. `draining` says whether the server shuts down.
  WebhookModule(const BackEnds::Ports& ports, webhook::CurlClient& client, Metrics& metrics,
                std::function<bool()> draining);
  ~WebhookModule() { Stop(); }

  const RoomProgress& progress() const { return progress_; }
  void AddRoutes(http::Router& router);
  void Start();
  // Ends attempts in flight and stores the cursor of each endpoint. Call it before the stores are destroyed.
  // A repeated call has no effect.
  void Stop();

 private:
  SystemRandom random_;
  const RoomProgress progress_;
  webhook::CurlClient& client_;
  ManageWebhooks manage_;
  DeliverWebhooks deliver_;
  boost::asio::io_context context_{1};
  std::thread thread_;
};

}  // namespace maejin::app
