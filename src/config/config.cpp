#include "config/config.h"

#include <algorithm>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "base/numbers.h"
#include "config/nearest.h"
#include "config/options.h"
#include "config/toml_file.h"

namespace maejin::config {
namespace {

constexpr std::string_view kPrefix = "MAEJIN_";
constexpr std::string_view kFileSuffix = "_FILE";
// Variables of tests and tools. maejin ignores them.
constexpr std::string_view kToolVariables[] = {"MAEJIN_BINARY", "MAEJIN_BUILD_DIR", "MAEJIN_SEED",
                                               "MAEJIN_CAMPAIGN", "MAEJIN_ALL"};
// Names the configuration file, like --config.
constexpr std::string_view kConfigVariable = "MAEJIN_CONFIG";

struct Reading {
  Settings settings;
  ConfigErrors errors;

  void Set(const Option& option, std::string value, std::string origin) {
    if (const auto error = ValueError(option, value)) {
      const bool shown = option.type != OptionType::kSecret;
      errors.push_back(fmt::format("{}: {} {}{}", origin, option.name, *error,
                                   shown ? fmt::format(", not \"{}\"", value) : std::string()));
      return;
    }
    settings.insert_or_assign(std::string(option.name), Setting{std::move(value), std::move(origin)});
  }
};

void ReadFile(const std::filesystem::path& file, Reading& reading) {
  const auto entries = ReadTomlFile(file);
  if (!entries) {
    reading.errors.push_back(entries.error());
    return;
  }
  std::vector<std::string> names;
  for (const auto& option : Options()) names.emplace_back(option.name);
  for (const auto& entry : *entries) {
    const auto origin = fmt::format("{}:{}", file.string(), entry.line);
    if (const auto* option = FindOption(entry.key)) {
      reading.Set(*option, entry.value, origin);
    } else {
      reading.errors.push_back(
          fmt::format("{}: unknown setting {}.{}", origin, entry.key, DidYouMean(entry.key, names)));
    }
  }
}

void ReadSecretFile(const Option& option, const std::string& variable, const std::string& file,
                    Reading& reading) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) {
    reading.errors.push_back(fmt::format("{}: cannot read a secret from {}", variable, file));
    return;
  }
  reading.Set(option, line, variable);
}

// Sets the option that the variable names. False if maejin knows no such variable.
bool TakeVariable(const std::string& name, const std::string& value, Reading& reading) {
  for (const auto& option : Options()) {
    const auto variable = EnvironmentOf(option);
    if (name == variable) {
      reading.Set(option, value, name);
      return true;
    }
    if (option.type == OptionType::kSecret && name == variable + std::string(kFileSuffix)) {
      ReadSecretFile(option, name, value, reading);
      return true;
    }
  }
  return name == kConfigVariable ||
         std::find(std::begin(kToolVariables), std::end(kToolVariables), name) != std::end(kToolVariables);
}

// The order of the environment must not decide between a variable and its _FILE.
void RefuseSecretsGivenTwice(const std::vector<std::string>& environment, Reading& reading) {
  const auto is_set = [&](const std::string& variable) {
    return std::ranges::any_of(environment,
                               [&](const auto& line) { return line.starts_with(variable + '='); });
  };
  for (const auto& option : Options()) {
    if (option.type != OptionType::kSecret) continue;
    const auto variable = EnvironmentOf(option);
    const auto file = variable + std::string(kFileSuffix);
    if (is_set(variable) && is_set(file))
      reading.errors.push_back(fmt::format("{} and {}: give only one of them", variable, file));
  }
}

void ReadEnvironment(const std::vector<std::string>& environment, Reading& reading) {
  std::vector<std::string> names{std::string(kConfigVariable)};
  for (const auto& option : Options()) names.push_back(EnvironmentOf(option));
  for (const auto& line : environment) {
    if (!line.starts_with(kPrefix)) continue;
    const auto equals = line.find('=');
    const auto name = line.substr(0, equals);
    const auto value = equals == std::string::npos ? std::string() : line.substr(equals + 1);
    if (!TakeVariable(name, value, reading)) {
      reading.errors.push_back(fmt::format("{}: unknown setting.{}", name, DidYouMean(name, names)));
    }
  }
  RefuseSecretsGivenTwice(environment, reading);
}

// Typed access to settings that ReadSettings has checked.
class Reader {
 public:
  explicit Reader(const Settings& settings) : settings_(settings) {}
  const std::string& Text(std::string_view name) const { return settings_.find(name)->second.value; }
  std::int64_t Integer(std::string_view name) const { return ParseInt<std::int64_t>(Text(name)).value_or(0); }
  std::size_t Size(std::string_view name) const { return static_cast<std::size_t>(Integer(name)); }
  std::vector<std::string> List(std::string_view name) const { return ListItems(Text(name)); }

 private:
  const Settings& settings_;
};

LogLevel LevelNamed(std::string_view name) {
  if (name == "debug") return LogLevel::kDebug;
  if (name == "warning") return LogLevel::kWarning;
  if (name == "error") return LogLevel::kError;
  return name == "off" ? LogLevel::kOff : LogLevel::kInfo;
}

Config::Http MakeHttp(const Reader& read) {
  Config::Http http;
  http.header_limit_bytes = read.Size("http.header-limit-bytes");
  http.body_limit_bytes = read.Size("http.body-limit-bytes");
  http.header_deadline = Seconds(read.Integer("http.header-deadline-seconds"));
  http.idle_deadline = Seconds(read.Integer("http.idle-deadline-seconds"));
  http.connections = read.Size("http.connections");
  http.connections_per_address = read.Size("http.connections-per-address");
  http.reserved_connections = read.Size("http.reserved-connections");
  http.streams_per_client = read.Size("http.streams-per-client");
  http.owed_bytes = read.Size("http.owed-bytes");
  http.owed_bytes_per_address = read.Size("http.owed-bytes-per-address");
  http.owed_bytes_per_connection = read.Size("http.owed-bytes-per-connection");
  http.least_read_bytes_per_second = read.Size("http.least-read-bytes-per-second");
  http.seat_map_bytes = read.Size("http.seat-map-bytes");
  http.cors_origins = read.List("http.cors-origins");
  http.frame_ancestors = read.List("http.frame-ancestors");
  http.trusted_proxies = read.List("http.trusted-proxies");
  http.drain = Seconds(read.Integer("http.drain-seconds"));
  return http;
}

Config::Payment MakePayment(const Reader& read, const std::filesystem::path& data) {
  Config::Payment payment;
  const auto& provider = read.Text("payment.provider");
  if (provider == "sandbox") payment.provider = PaymentKind::kSandbox;
  if (provider == "callback") payment.provider = PaymentKind::kCallback;
  payment.sandbox = ParseHttpUrl(read.Text("payment.sandbox-url"))->address;
  payment.callback_secret_file = read.Text("payment.callback-secret-file");
  if (payment.callback_secret_file.empty()) payment.callback_secret_file = data / "payment.secret";
  if (const auto url = ParseHttpOrHttpsUrl(read.Text("payment.refund-url"))) {
    payment.refund = url->address;
    payment.refund_tls = url->tls;
    payment.refund_path = url->path;
  }
  payment.refund_ca_file = read.Text("payment.refund-ca-file");
  payment.deadline = Seconds(read.Integer("payment.deadline-seconds"));
  payment.connections = read.Size("payment.connections");
  return payment;
}

Config::Mail MakeMail(const Reader& read) {
  Config::Mail mail;
  mail.smtp_url = read.Text("mail.smtp-url");
  mail.from = read.Text("mail.from");
  mail.sender_name = read.Text("mail.sender-name");
  mail.lookup_url = read.Text("mail.lookup-url");
  mail.addresses_file = read.Text("mail.addresses-file");
  mail.language = read.Text("mail.language");
  mail.templates = read.Text("mail.templates");
  mail.ca_file = read.Text("mail.ca-file");
  return mail;
}

ConfigErrors ConflictErrors(const Reader& read, const Address& listen, ConfigUse use) {
  ConfigErrors errors;
  if (const auto& url = read.Text("redis"); !url.empty()) {
    const auto address = redis::ParseAddress(url);
    if (!address) errors.push_back(address.error());
  }
  if (const auto& url = read.Text("mysql"); !url.empty()) {
    const auto database = mysql::ParseUrl(url);
    if (!database) errors.push_back(database.error());
    if (read.Text("redis").empty() && use == ConfigUse::kServer) {
      errors.emplace_back(
          "mysql: a shared database needs shared waiting rooms: also give a Redis or Valkey, with "
          "--redis redis://host:6379");
    }
  }
  if (read.Text("tls.cert-file").empty() != read.Text("tls.key-file").empty())
    errors.emplace_back("tls.cert-file and tls.key-file: give both or neither");
  if (!read.Text("http-redirect-listen").empty() && read.Text("tls.cert-file").empty())
    errors.emplace_back("http-redirect-listen: needs tls.cert-file, the address that it redirects to");
  const auto& users = read.Text("auth.users");
  if (users.empty() && !listen.IsLoopback()) {
    errors.push_back(fmt::format(
        "auth.users: required, because {} can be reached from other machines. \"signed\" requires "
        "your signed user tokens; \"trusted\" accepts the userId of any request (only behind your "
        "own gateway)",
        listen.ToString()));
  }
  if (users == "signed" && read.Text("auth.key-file").empty() && read.Text("auth.jwks").empty()) {
    errors.emplace_back("auth.users: \"signed\" needs auth.key-file or auth.jwks to verify the tokens");
  }
  return errors;
}

// The configuration file named by --config or MAEJIN_CONFIG.
std::optional<std::filesystem::path> NamedFile(const ConfigSources& sources) {
  if (sources.file) return sources.file;
  const auto start = std::string(kConfigVariable) + '=';
  for (const auto& line : sources.environment) {
    if (line.starts_with(start) && line.size() > start.size()) return line.substr(start.size());
  }
  return {};
}

}  // namespace

Result<Settings, ConfigErrors> ReadSettings(const ConfigSources& sources) {
  Reading reading;
  for (const auto& option : Options()) reading.Set(option, std::string(option.fallback), "default");
  if (const auto file = NamedFile(sources)) {
    ReadFile(*file, reading);
  } else if (std::filesystem::exists(sources.default_file)) {
    ReadFile(sources.default_file, reading);
  }
  ReadEnvironment(sources.environment, reading);
  for (const auto& [name, value] : sources.flags) {
    const auto* option = FindOption(name);
    reading.Set(*option, value, FlagOf(*option));
  }
  if (!reading.errors.empty()) return std::move(reading.errors);
  return std::move(reading.settings);
}

Result<Config, ConfigErrors> MakeConfig(const Settings& settings, ConfigUse use) {
  const Reader read(settings);
  Config config;
  config.listen = *ParseAddress(read.Text("listen"));
  if (auto errors = ConflictErrors(read, config.listen, use); !errors.empty()) return errors;

  config.admin_listen = ParseAddress(read.Text("admin-listen"));
  config.redirect_listen = ParseAddress(read.Text("http-redirect-listen"));
  config.tls_cert_file = read.Text("tls.cert-file");
  config.tls_key_file = read.Text("tls.key-file");
  config.data = read.Text("data");
  config.timezone = read.Text("timezone");
  if (const auto& url = read.Text("redis"); !url.empty()) config.redis = *redis::ParseAddress(url);
  if (const auto& url = read.Text("mysql"); !url.empty()) config.mysql = *mysql::ParseUrl(url);
  config.admin_key_file = read.Text("admin-key-file");
  if (config.admin_key_file.empty()) config.admin_key_file = config.data / "admin.key";
  config.keys = read.Text("keys");
  config.keys_given = !config.keys.empty();
  if (!config.keys_given) config.keys = config.data / "keys";
  config.threads = static_cast<unsigned>(read.Integer("threads"));
  if (config.threads == 0) config.threads = std::max(1U, std::thread::hardware_concurrency());
  config.auth_users = read.Text("auth.users") == "signed" ? UserAuth::kSigned : UserAuth::kTrusted;
  config.auth_key_file = read.Text("auth.key-file");
  config.auth_jwks = read.Text("auth.jwks");
  config.auth_issuer = read.Text("auth.issuer");
  config.auth_audience = read.Text("auth.audience");
  config.public_url = read.Text("public-url");
  config.site = {read.Text("site.name"), read.Text("site.help-url"), read.Text("site.terms-url"),
                 read.Text("site.logo"), ParseColor(read.Text("site.color"))};
  config.http = MakeHttp(read);
  config.payment = MakePayment(read, config.data);
  config.reconcile_every = Seconds{read.Integer("rankings.reconcile-seconds")};
  config.retention = std::chrono::days{read.Integer("privacy.retention-days")};
  config.events_keep_days = static_cast<int>(read.Integer("events.keep-days"));
  config.backup.folder = read.Text("backup.folder");
  config.backup.every = std::chrono::minutes{read.Integer("backup.every-minutes")};
  config.backup.keep = read.Size("backup.keep");
  config.backup.key_file = read.Text("backup.key-file");
  config.webhooks.allow_private = read.Text("webhooks.allow-private") == "true";
  config.webhooks.ca_file = read.Text("webhooks.ca-file");
  config.mail = MakeMail(read);
  config.metrics_rooms = static_cast<std::size_t>(read.Integer("metrics.rooms"));
  config.log_level = LevelNamed(read.Text("log.level"));
  config.log_format = read.Text("log.format") == "json" ? LogFormat::kJson : LogFormat::kText;
  config.access_log = read.Text("log.access");
  config.settings = settings;
  return config;
}

std::string Shown(std::string_view name, const Setting& setting) {
  const auto* option = FindOption(name);
  const bool secret = option != nullptr && option->type == OptionType::kSecret && !setting.value.empty();
  return secret ? "(secret)" : setting.value;
}

}  // namespace maejin::config
