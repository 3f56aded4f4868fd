#include "adapters/payment/sandbox_provider.h"

#include <boost/json.hpp>

#include "base/json_writer.h"

namespace maejin::payment {
namespace {

struct Word {
  std::string_view text;
  MoneyState state;
};
constexpr Word kWords[] = {
    {"NONE", MoneyState::kNone},         {"PENDING", MoneyState::kPending},
    {"CAPTURED", MoneyState::kCaptured}, {"DECLINED", MoneyState::kDeclined},
    {"VOIDED", MoneyState::kDeclined},   {"REFUNDED", MoneyState::kReturned},
};

std::string BodyOf(const MoneyOrder& order) {
  std::string body;
  JsonWriter json(body);
  json.Object([&] {
    json.Field("key", order.key.ToString());
    json.Field("amount", order.amount);
    json.Field("method", order.method);
  });
  return body;
}

std::string_view Text(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  const auto* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

}  // namespace

ProviderAnswer ReadMoneyState(const HttpReply& reply, const PaymentId& key) {
  if (reply.fate == HttpReply::Fate::kNotReached) return ProviderFailure::kUnavailable;
  if (reply.status == 503) return ProviderFailure::kUnavailable;
  if (reply.fate != HttpReply::Fate::kAnswered || reply.status / 100 != 2) return ProviderFailure::kUnknown;
  boost::json::error_code error;
  const auto value = boost::json::parse(reply.body, error);
  const auto* object = error ? nullptr : value.if_object();
  if (object == nullptr || Text(*object, "key") != key.ToString()) return ProviderFailure::kUnknown;
  for (const auto& word : kWords) {
    if (word.text == Text(*object, "status")) return word.state;
  }
  return ProviderFailure::kUnknown;
}

Task<ProviderAnswer> SandboxProvider::Answered(HttpAsk ask, PaymentId key) {
  const auto reply = co_await pool_.Call(std::move(ask));
  co_return ReadMoneyState(reply, key);
}

Task<ProviderAnswer> SandboxProvider::Charge(MoneyOrder order) {
  HttpAsk ask{"POST", "/charges", BodyOf(order)};
  ask.expected = order.key.ToString();
  return Answered(std::move(ask), order.key);
}

Task<ProviderAnswer> SandboxProvider::Ask(PaymentId key) {
  HttpAsk ask{"GET", "/charges/" + key.ToString()};
  ask.expected = key.ToString();
  return Answered(std::move(ask), key);
}

Task<ProviderAnswer> SandboxProvider::Refund(MoneyOrder order) {
  HttpAsk ask{"POST", "/charges/" + order.key.ToString() + "/refund", "{}"};
  ask.expected = order.key.ToString();
  return Answered(std::move(ask), order.key);
}

}  // namespace maejin::payment
