#include "http/booking/payment_routes.h"

#include "http/booking/json.h"
#include "http/json_body.h"

namespace maejin::http {
namespace {

constexpr PaymentChange kChanges[] = {PaymentChange::kCaptured, PaymentChange::kDeclined,
                                      PaymentChange::kRefunded};

struct EventBody {
  std::string id;
  PaymentEvent event;
};

Outcome<EventBody> ReadEvent(const Request& request) {
  JsonBody body(request);
  auto& json = body.root();
  EventBody read;
  read.id = json.Text("eventId", {.min = 1, .max = 128});
  const auto payment = json.Text("paymentId", {.min = 1, .max = 64});
  const auto type = json.OptionalChoice("type", {"captured", "declined", "refunded"});
  if (!type) json.Refuse("type", "must be captured, declined or refunded");
  read.event.amount = json.Int("amount", {0, INT64_MAX});
  if (auto refused = body.Finish()) return std::move(*refused);
  const auto id = PaymentId::Parse(payment);
  if (!id) return Refused{Refusal::kPaymentNotFound, payment};
  read.event.payment = *id;
  read.event.change = kChanges[*type];
  return read;
}

Task<Outcome<Done>> Accept(PaymentRoutes routes, PaymentEvent event, Response& response) {
  const auto accepted = co_await (*routes.accept)(event);
  if (!accepted) co_return accepted.error();
  WritePayment(response.body, *accepted);
  co_return Done{};
}

Task<Outcome<Done>> PostCallback(PaymentRoutes routes, const Request& request, Response& response) {
  if (!routes.accept) co_return Refusal::kPaymentNotFound;
  const auto verified =
      routes.signature->Verify(request.Header("X-Maejin-Timestamp"), request.Header("X-Maejin-Signature"),
                               request.body, routes.clock.Now());
  if (!verified) co_return verified.error();
  auto body = ReadEvent(request);
  if (!body) co_return body.error();
  const IdempotentRequest name{.id = Sha256("payment event " + body->id),
                               .fingerprint = Sha256(request.body),
                               .caller = Sha256("payment service"),
                               .quota = kKeysUnlimited};
  const Handler accept = [routes, event = body->event](const Request&, Response& answer) {
    return Accept(routes, event, answer);
  };
  co_return co_await routes.idempotency.RunAs(name, accept, request, response);
}

}  // namespace

void AddPaymentRoutes(Router& router, PaymentRoutes routes) {
  router.Add({.method = Method::kPost,
              .pattern = "/api/v1/payments/callback",
              .priority = Priority::kAlways,
              .handler = [routes](const Request& request, Response& response) {
                return PostCallback(routes, request, response);
              }});
}

}  // namespace maejin::http
