#include "adapters/payment/sandbox_provider.h"

#include <boost/json.hpp>

#include "base/json_text.h"

namespace maejin::payment {
namespace {

struct StatusName {
  std::string_view text;
  MoneyState state;
};
constexpr StatusName kStatusNames[] = {
    {"NONE", MoneyState::kNone},         {"PENDING", MoneyState::kPending},
    {"CAPTURED", MoneyState::kCaptured}, {"DECLINED", MoneyState::kDeclined},
    {"VOIDED", MoneyState::kDeclined},   {"REFUNDED", MoneyState::kReturned},
};

std::string BodyOf(const MoneyOrder& order) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("key", order.key);
    json.Field("amount", order.amount);
    json.Field("method", order.method);
  });
}

std::string_view Text(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  const auto* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

}  // namespace

ProviderAnswer ReadMoneyState(const HttpReply& reply, const PaymentId& key) {
  if (reply.delivery == HttpReply::Delivery::kNotReached) return ProviderFailure::kUnavailable;
  if (reply.status == 503) return ProviderFailure::kUnavailable;
  if (reply.delivery != HttpReply::Delivery::kAnswered || reply.status / 100 != 2)
    return ProviderFailure::kUnknown;
  boost::json::error_code error;
  const auto value = boost::json::parse(reply.body, error);
  const auto* object = error ? nullptr : value.if_object();
  if (object == nullptr || Text(*object, "key") != key.ToString()) return ProviderFailure::kUnknown;
  for (const auto& name : kStatusNames) {
    if (name.text == Text(*object, "status")) return name.state;
  }
  return ProviderFailure::kUnknown;
}

Task<ProviderAnswer> SandboxProvider::CallProvider(PoolRequest call, PaymentId key) {
  const auto reply = co_await pool_.Call(std::move(call));
  co_return ReadMoneyState(reply, key);
}

Task<ProviderAnswer> SandboxProvider::Charge(MoneyOrder order) {
  PoolRequest call{"POST", "/charges", BodyOf(order)};
  call.expected = order.key.ToString();
  if (!order.trace.request_id.empty()) call.headers.emplace_back("X-Request-Id", order.trace.request_id);
  if (!order.trace.traceparent.empty()) call.headers.emplace_back("traceparent", order.trace.traceparent);
  return CallProvider(std::move(call), order.key);
}

Task<ProviderAnswer> SandboxProvider::Ask(PaymentId key) {
  PoolRequest call{"GET", "/charges/" + key.ToString()};
  call.expected = key.ToString();
  return CallProvider(std::move(call), key);
}

Task<ProviderAnswer> SandboxProvider::Refund(MoneyOrder order) {
  PoolRequest call{"POST", "/charges/" + order.key.ToString() + "/refund", "{}"};
  call.expected = order.key.ToString();
  return CallProvider(std::move(call), order.key);
}

}  // namespace maejin::payment
