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

constexpr std::int64_t kSpareConnections = 10;  // of one address: the operator's own, and a console beside it
constexpr std::int64_t kSpareFiles = 64;
constexpr std::int64_t kMostByDefault = 2000;
constexpr Seconds kTokensLast{86'400};

// The server's settings by name; absent where it did not tell.
class Told {
 public:
  explicit Told(json::object configuration) : configuration_(std::move(configuration)) {}

  std::optional<std::string> Setting(std::string_view name) const {
    const auto* setting = ObjectOf(configuration_, name);
    const auto* value = setting == nullptr ? nullptr : setting->if_contains("value");
    if (value == nullptr || !value->is_string()) return {};
    return std::string(value->get_string());
  }

 private:
  json::object configuration_;
};

Result<Told, std::string> AskSystem(HttpClient& admin, const RehearsalPlan& plan,
                                    const config::Config& config) {
  HttpCall call;
  call.target = "/api/v1/admin/system";
  const auto answer = admin.Call(call);
  if (!answer) return fmt::format("no server answers: {}", answer.error());
  if (answer->status == 401 || answer->status == 403) {
    return fmt::format("{} does not accept the admin key of {}: name the right file with --admin-key-file",
                       plan.url, config.admin_key_file.string());
  }
  const auto body = ObjectIn(answer->body);
  const auto* configuration = body ? ObjectOf(*body, "configuration") : nullptr;
  if (answer->status != 200 || configuration == nullptr) {
    return fmt::format("{} is no maejin that can be rehearsed on: {} answered {}", plan.url, call.target,
                       answer->status);
  }
  return Told(*configuration);
}

// Absent: play money.
std::optional<std::string> RealMoney(const Told& told) {
  const auto provider = told.Setting("payment.provider");
  if (!provider) {
    return "the server does not tell how payments are made (payment.provider), so that they cannot be known "
           "to be "
           "play money";
  }
  if (*provider == "instant" || *provider == "sandbox") return {};
  return fmt::format(
      "payments on this server go through a real provider (payment.provider = \"{}\"): a rehearsal would ask "
      "it for "
      "money. Rehearse on a server with \"instant\" or \"sandbox\"",
      *provider);
}

class SignedNames final : public UserTokens {
 public:
  explicit SignedNames(JwtSigner signer) : signer_(std::move(signer)) {}

  std::string Of(const std::string& user) const override {
    std::string claims;
    JsonWriter writer(claims);
    writer.Object([&] {
      writer.Field("sub", user);
      writer.Field("exp", ToMillis(SystemClock().Now() + kTokensLast) / 1000);
    });
    return "Bearer " + signer_.Sign(claims);
  }

 private:
  JwtSigner signer_;
};

Result<std::unique_ptr<UserTokens>, std::string> TokensFor(const Told& told, const config::Config& config) {
  if (told.Setting("auth.users").value_or("") != "signed") return std::unique_ptr<UserTokens>();
  const std::string need =
      "fans need signed user tokens on this server (auth.users = \"signed\"): give the secret that signs "
      "them with "
      "--auth-key-file";
  if (config.auth_key_file.empty()) return need;
  std::ifstream in(config.auth_key_file, std::ios::binary);
  auto signer = JwtSigner::FromSecret(std::string{std::istreambuf_iterator<char>(in), {}});
  if (!signer) return fmt::format("{}; {}: {}", need, config.auth_key_file.string(), signer.error());
  return std::unique_ptr<UserTokens>(std::make_unique<SignedNames>(std::move(*signer)));
}

Result<std::size_t, std::string> ConnectionsFor(const Told& told, const RehearsalPlan& plan) {
  const auto limit = told.Setting("http.connections-per-address");
  const auto per_address = limit ? WholeNumber<std::int64_t>(*limit, 1, INT32_MAX) : std::nullopt;
  const auto taken = per_address.value_or(INT32_MAX) - kSpareConnections;
  const auto openable = RaiseOpenFiles() - kSpareFiles;
  const auto most = std::min({taken, openable, kMostByDefault});
  if (plan.connections == 0)
    return static_cast<std::size_t>(std::clamp<std::int64_t>(plan.fans, 1, std::max<std::int64_t>(1, most)));
  if (plan.connections > openable) {
    return fmt::format(
        "--connections {} needs {} open files, this process may have {}: raise `ulimit -n`, or ask for fewer",
        plan.connections, plan.connections + kSpareFiles, openable + kSpareFiles);
  }
  if (plan.connections > taken) {
    return fmt::format(
        "--connections {} is more than the server takes from one address (http.connections-per-address = {}, "
        "less {} "
        "to spare): raise that setting, or ask for fewer",
        plan.connections, *per_address, kSpareConnections);
  }
  return static_cast<std::size_t>(plan.connections);
}

}  // namespace

Result<Clearance, std::string> ClearTheStage(HttpClient& admin, const RehearsalPlan& plan,
                                             const config::Config& config) {
  const auto told = AskSystem(admin, plan, config);
  if (!told) return told.error();
  if (auto why = RealMoney(*told)) return std::move(*why);
  auto users = TokensFor(*told, config);
  if (!users) return users.error();
  const auto connections = ConnectionsFor(*told, plan);
  if (!connections) return connections.error();
  return Clearance{*connections, std::move(*users)};
}

}  // namespace maejin::cli
