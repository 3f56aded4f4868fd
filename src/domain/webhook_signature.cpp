#include "domain/webhook_signature.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/ascii.h"
#include "base/crypto.h"
#include "base/json_writer.h"

namespace maejin {
namespace {

constexpr std::string_view kSecretPrefix = "whsec_";
constexpr std::size_t kSecretBytes = 32;

std::string DecodeBase64(std::string_view text) {
  std::string url(text.substr(0, text.find('=')));
  std::replace(url.begin(), url.end(), '+', '-');
  std::replace(url.begin(), url.end(), '/', '_');
  return DecodeBase64Url(url).value_or("");
}

// A name for an event without an id, from its subject and time: "room-42-20270501100003120".
std::string NameOf(const Event& event) {
  std::string name(EventSubjectIn(event.json));
  std::replace(name.begin(), name.end(), ' ', '-');
  name += '-';
  for (const auto c : EventTimeIn(event.json))
    if (IsDigit(c)) name += c;
  return name;
}

}  // namespace

std::string NewWebhookSecret(Random& random) {
  std::array<std::byte, kSecretBytes> bytes{};
  random.Fill(bytes);
  const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(kSecretPrefix) + EncodeBase64(view);
}

SignedWebhook SignWebhook(const Event& event, const std::vector<std::string_view>& secrets, Time now) {
  SignedWebhook webhook;
  webhook.id = "evt_" + (event.id > 0 ? std::to_string(event.id) : NameOf(event));
  webhook.timestamp = std::to_string(std::chrono::floor<Seconds>(now).time_since_epoch().count());
  JsonWriter json(webhook.body);
  json.Object([&] {
    json.Field("type", event.type);
    json.Field("timestamp", EventTimeIn(event.json));
    json.Raw("data", EventDataIn(event.json));
  });
  const auto text = webhook.id + "." + webhook.timestamp + "." + webhook.body;
  for (auto secret : secrets) {
    secret.remove_prefix(std::min(kSecretPrefix.size(), secret.size()));
    if (!webhook.signature.empty()) webhook.signature += ' ';
    webhook.signature += "v1," + EncodeBase64(AsText(HmacSha256(DecodeBase64(secret)).Mac(text)));
  }
  return webhook;
}

}  // namespace maejin
