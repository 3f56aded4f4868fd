#include "adapters/payment/callback_provider.h"

#include "adapters/payment/sandbox_provider.h"
#include "base/json_writer.h"

namespace maejin::payment {

Task<ProviderAnswer> CallbackProvider::Refund(MoneyOrder order) {
  if (!refunds_.pool) co_return MoneyState::kPending;
  HttpAsk ask{"POST", refunds_.path};
  JsonWriter json(ask.body);
  json.Object([&] {
    json.Field("type", "refund");
    json.Field("key", order.key.ToString());
    json.Field("amount", order.amount);
  });
  const auto timestamp = std::to_string(ToMillis(clock_.Now()) / 1000);
  ask.headers.emplace_back("X-Maejin-Timestamp", timestamp);
  ask.headers.emplace_back("X-Maejin-Signature", signature_.Sign(timestamp, ask.body));
  const auto reply = co_await refunds_.pool->Call(std::move(ask));
  // Taken note of, and settled by a call of its own.
  const bool accepted = reply.fate == HttpReply::Fate::kAnswered && reply.status / 100 == 2;
  if (accepted && (reply.status == 202 || reply.body.empty())) co_return MoneyState::kPending;
  co_return ReadMoneyState(reply, order.key);
}

}  // namespace maejin::payment
