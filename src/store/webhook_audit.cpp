#include "store/webhook_audit.h"

#include "base/json_text.h"
#include "base/take_until.h"

namespace maejin {

std::string AuditSubject(const Webhook& webhook) { return "webhook " + std::to_string(webhook.id); }

std::string DescribeWebhook(const Webhook& webhook) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("url", webhook.url);
    json.Array("types", [&] {
      for (const auto& type : webhook.types) json.Element(type);
    });
  });
}

EventDraft TestEvent(const Webhook& webhook, std::string data, Time at) {
  return {"webhook.test", at, AuditSubject(webhook), std::move(data)};
}

std::string JoinTypes(const std::vector<std::string>& types) {
  std::string joined;
  for (const auto& type : types) joined.append(joined.empty() ? "" : ",").append(type);
  return joined;
}

std::vector<std::string> SplitTypes(std::string_view types) {
  std::vector<std::string> split;
  while (!types.empty()) split.emplace_back(TakeUntil(types, ','));
  return split;
}

}  // namespace maejin
