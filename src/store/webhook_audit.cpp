#include "store/webhook_audit.h"

#include "base/json_writer.h"

namespace maejin {

std::string AuditSubject(const Webhook& webhook) { return "webhook " + std::to_string(webhook.id); }

std::string DescribeWebhook(const Webhook& webhook) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("url", webhook.url);
    json.Array("types", [&] {
      for (const auto& type : webhook.types) json.Element(type);
    });
  });
  return out;
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
  while (!types.empty()) {
    const auto end = std::min(types.find(','), types.size());
    split.emplace_back(types.substr(0, end));
    types.remove_prefix(std::min(end + 1, types.size()));
  }
  return split;
}

}  // namespace maejin
