#include "cli/rehearsal/preflight.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/jwt.h"
#include "base/numbers.h"
#include "base/open_files.h"
#include "cli/common/answer_json.h"

namespace maejin::cli {
namespace {

namespace json = boost::json;

constexpr std::int64_t kSpareConnections = 10;  // left for the operator's own connections from this address
constexpr std::int64_t kSpareFiles = 64;
constexpr std::int64_t kMaxByDefault = 2000;
constexpr Seconds kTokenLifetime{86'400};

// The server's settings by name; absent if the server does not report a setting.
class ServerSettings {
 public:
  explicit ServerSettings(json::object configuration) : configuration_(std::move(configuration)) {}

  std::optional<std::string> Setting(std::string_view name) const {
    const auto* setting = ObjectOf(configuration_, name);
    const auto* value = setting == nullptr ? nullptr : setting->if_contains("value");
    if (value == nullptr || !value->is_string()) return {};
    return std::string(value->get_string());
  }

 private:
  json::object configuration_;
};

Result<ServerSettings, std::string> AskSystem(HttpClient& admin, const RehearsalPlan& plan,
                                              const config::Config& config) {
  HttpCall call;
  call.target = "/api/v1/admin/system";
  const auto answer = admin.Call(call);
  if (!answer) return fmt::format("the server does not answer: {}", answer.error());
  if (answer->status == 401 || answer->status == 403) {
    return fmt::format("{} does not accept the admin key of {}: give the right file with --admin-key-file",
                       plan.url, config.admin_key_file.string());
  }
  const auto body = ObjectIn(answer->body);
  const auto* configuration = body ? ObjectOf(*body, "configuration") : nullptr;
  if (answer->status != 200 || configuration == nullptr) {
    return fmt::format("{} is not a maejin server that supports rehearsals: {} answered {}", plan.url,
                       call.target, answer->status);
  }
  return ServerSettings(*configuration);
}

// Why payments could be real; absent if they are play money.
std::optional<std::string> RealMoneyError(const ServerSettings& settings) {
  const auto provider = settings.Setting("payment.provider");
  if (!provider) {
    return "the server does not report its payment.provider, so its payments may be real money";
  }
  if (*provider == "instant" || *provider == "sandbox") return {};
  return fmt::format(
      "payments on this server are real money (payment.provider = \"{}\"): rehearse on a server with "
      "\"instant\" or \"sandbox\"",
      *provider);
}

class SignedUserTokens final : public UserTokens {
 public:
  SignedUserTokens(JwtSigner signer, JwtExpected expected)
      : signer_(std::move(signer)), expected_(std::move(expected)) {}

  std::string Of(const std::string& user) const override {
    std::string claims;
    JsonWriter writer(claims);
    writer.Object([&] {
      writer.Field("sub", user);
      writer.Field("exp", ToMillis(SystemClock().Now() + kTokenLifetime) / 1000);
      if (!expected_.issuer.empty()) writer.Field("iss", expected_.issuer);
      if (!expected_.audience.empty()) writer.Field("aud", expected_.audience);
    });
    return "Bearer " + signer_.Sign(claims);
  }

 private:
  JwtSigner signer_;
  JwtExpected expected_;  // issuer and audience that the server requires
};

Result<std::unique_ptr<UserTokens>, std::string> TokensFor(const ServerSettings& settings,
                                                           const config::Config& config) {
  if (settings.Setting("auth.users").value_or("") != "signed") return std::unique_ptr<UserTokens>();
  const std::string need =
      "this server requires signed user tokens (auth.users = \"signed\"): give the secret that signs them "
      "with "
      "--auth-key-file";
  if (config.auth_key_file.empty()) return need;
  std::ifstream in(config.auth_key_file, std::ios::binary);
  auto signer = JwtSigner::FromSecret(std::string{std::istreambuf_iterator<char>(in), {}});
  if (!signer) return fmt::format("{}; {}: {}", need, config.auth_key_file.string(), signer.error());
  return std::unique_ptr<UserTokens>(std::make_unique<SignedUserTokens>(
      std::move(*signer), JwtExpected{.issuer = settings.Setting("auth.issuer").value_or(""),
                                      .audience = settings.Setting("auth.audience").value_or("")}));
}

Result<std::size_t, std::string> ConnectionsFor(const ServerSettings& settings, const RehearsalPlan& plan) {
  const auto limit = settings.Setting("http.connections-per-address");
  const auto per_address = limit ? ParseInt<std::int64_t>(*limit, 1, INT32_MAX) : std::nullopt;
  const auto taken = per_address.value_or(INT32_MAX) - kSpareConnections;
  const auto openable = RaiseOpenFiles() - kSpareFiles;
  const auto most = std::min({taken, openable, kMaxByDefault});
  if (plan.connections == 0)
    return static_cast<std::size_t>(std::clamp<std::int64_t>(plan.fans, 1, std::max<std::int64_t>(1, most)));
  if (plan.connections > openable) {
    return fmt::format(
        "--connections {} needs {} open files, but the limit is {}: raise `ulimit -n`, or use fewer",
        plan.connections, plan.connections + kSpareFiles, openable + kSpareFiles);
  }
  if (plan.connections > taken) {
    return fmt::format(
        "--connections {} exceeds the server's limit per address (http.connections-per-address = {}, of "
        "which {} "
        "are reserved): raise that setting, or use fewer",
        plan.connections, *per_address, kSpareConnections);
  }
  return static_cast<std::size_t>(plan.connections);
}

}  // namespace

Result<PreflightResult, std::string> RunPreflight(HttpClient& admin, const RehearsalPlan& plan,
                                                  const config::Config& config) {
  const auto settings = AskSystem(admin, plan, config);
  if (!settings) return settings.error();
  if (auto why = RealMoneyError(*settings)) return std::move(*why);
  auto users = TokensFor(*settings, config);
  if (!users) return users.error();
  const auto connections = ConnectionsFor(*settings, plan);
  if (!connections) return connections.error();
  return PreflightResult{*connections, std::move(*users)};
}

}  // namespace maejin::cli
