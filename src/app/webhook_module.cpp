#include "app/webhook_module.h"

#include <exception>

#include <sys/resource.h>
#include <unistd.h>
#include <boost/asio/co_spawn.hpp>

#include "base/log.h"
#include "http/admin/webhook_routes.h"

namespace maejin::app {
namespace {

// Serving threads take precedence over the sender.
constexpr int kSenderNiceness = 10;

}  // namespace

WebhookModule::WebhookModule(const BackEnds::Ports& ports, webhook::CurlClient& client, Metrics& metrics,
                             std::function<bool()> draining)
    : progress_([&rooms = ports.rooms] { return rooms.Stats(); }, ports.clock),
      client_(client),
      manage_({ports.webhooks, client_, ports.events, ReadEvents(ports.events, std::move(draining), nullptr),
               random_, ports.clock}),
      deliver_({ports.webhooks, ports.events, client_, ports.clock, random_, metrics, &progress_}) {}

void WebhookModule::AddRoutes(http::Router& router) { http::AddWebhookRoutes(router, manage_); }

void WebhookModule::Start() {
  boost::asio::co_spawn(context_.get_executor(), deliver_.Run(), [](const std::exception_ptr& thrown, Done) {
    if (thrown) std::rethrow_exception(thrown);
  });
  thread_ = std::thread([this] {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kSenderNiceness);
    context_.run();
  });
}

void WebhookModule::Stop() {
  if (!thread_.joinable()) return;
  deliver_.Stop();
  client_.Stop();
  thread_.join();
}

}  // namespace maejin::app
