// URLs and addresses of the configuration: parsed or refused with a sentence that never repeats a password.
#include "adapters/mysql/url.h"
#include "adapters/redis/client/url.h"
#include "config/address.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;

void CheckListenAddress(std::string_view text) {
  const auto address = maejin::config::ParseAddress(text);
  if (address) Must(maejin::config::ParseAddress(address->ToString()) == address);
}

void CheckRedis(std::string_view text) {
  const auto address = maejin::redis::ParseAddress(text);
  if (!address.ok()) return Must(!address.error().empty());
  Must(!address.value().endpoints.empty());
  for (const auto& endpoint : address.value().endpoints) {
    const auto again = maejin::redis::Endpoint::Parse(endpoint.ToString());
    Must(again && *again == endpoint);
  }
}

void CheckMysql(std::string_view text) {
  const auto url = maejin::mysql::ParseUrl(text);
  if (!url.ok()) return Must(!url.error().empty());
  Must(!url.value().server.database.empty() && url.value().pool.connections >= 1);
}

// The password stands only where a URL has it.
void CheckPassword(std::string_view rest) {
  constexpr std::string_view kPassword = "Sup3rS3cret";
  if (rest.find(kPassword) != std::string_view::npos) return;
  for (const char* scheme : {"mysql://", "redis://", "redis+sentinel://", "redis+cluster://"}) {
    const auto text = std::string(scheme) + "u:" + std::string(kPassword) + "@h" + std::string(rest);
    const auto mysql = maejin::mysql::ParseUrl(text);
    if (!mysql.ok()) Must(mysql.error().find(kPassword) == std::string::npos);
    if (mysql.ok()) Must(maejin::mysql::Redacted(mysql.value().server).find(kPassword) == std::string::npos);
    const auto redis = maejin::redis::ParseAddress(text);
    if (!redis.ok()) Must(redis.error().find(kPassword) == std::string::npos);
    if (redis.ok()) Must(redis.value().ToString().find(kPassword) == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 2048) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckListenAddress(text);
  maejin::config::ParseHttpUrl(text);
  maejin::config::ParseHttpOrHttpsUrl(text);
  maejin::config::ParseServerUrl(text);
  CheckRedis(text);
  CheckMysql(text);
  if (text.find('@') == std::string_view::npos) CheckPassword(text);
  return 0;
}
