#include "adapters/payment/callback_provider.h"

#include "adapters/payment/sandbox_provider.h"
#include "base/json_writer.h"

namespace maejin::payment {

Task<ProviderAnswer> CallbackProvider::Refund(MoneyOrder order) {
  if (!refunds_.pool) co_return MoneyState::kPending;
  PoolRequest call{"POST", refunds_.path};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Field("type", "refund");
    json.Field("key", order.key);
    json.Field("amount", order.amount);
  });
  const auto timestamp = std::to_string(ToMillis(clock_.Now()) / 1000);
  call.headers.emplace_back("X-Maejin-Timestamp", timestamp);
  call.headers.emplace_back("X-Maejin-Signature", signature_.Sign(timestamp, call.body));
  const auto reply = co_await refunds_.pool->Call(std::move(call));
  // 202 or an empty body: the service reports the result later, by its own request.
  const bool accepted = reply.delivery == HttpReply::Delivery::kAnswered && reply.status / 100 == 2;
  if (accepted && (reply.status == 202 || reply.body.empty())) co_return MoneyState::kPending;
  co_return ReadMoneyState(reply, order.key);
}

}  // namespace maejin::payment
