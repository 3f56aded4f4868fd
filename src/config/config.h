// The configuration. A flag overrides a MAEJIN_* variable, which overrides the TOML file, which overrides the
// default. All settings are checked before anything starts.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/mysql/url.h"
#include "adapters/redis/client/url.h"
#include "base/color.h"
#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "config/address.h"

namespace maejin::config {

enum class UserAuth : std::uint8_t { kTrusted, kSigned };
enum class PaymentKind : std::uint8_t { kInstant, kSandbox, kCallback };

// A setting's value as text, and its origin: "default", "maejin.toml:3", "MAEJIN_LISTEN", "--listen".
struct Setting {
  std::string value;
  std::string origin;
};
using Settings = std::map<std::string, Setting, std::less<>>;

// The settings of config/options.cpp, typed. Every value has been checked.
struct Config {
  Address listen;
  std::optional<Address> admin_listen;     // absent: operators use `listen`
  std::optional<Address> redirect_listen;  // only with TLS
  std::filesystem::path tls_cert_file;     // empty: plain HTTP
  std::filesystem::path tls_key_file;
  std::filesystem::path data;
  std::string timezone;
  std::filesystem::path admin_key_file;  // never empty
  std::filesystem::path keys;            // never empty
  bool keys_given = false;               // `keys` was set: the keys there take precedence over the database
  unsigned threads = 1;                  // at least 1
  // Waiting rooms and boards; absent: everything is in the data folder.
  std::optional<redis::Address> redis;
  // Bookings that several nodes share. A server with `mysql` also has `redis`.
  std::optional<mysql::DatabaseUrl> mysql;

  UserAuth auth_users = UserAuth::kTrusted;
  std::filesystem::path auth_key_file;  // empty: none
  std::filesystem::path auth_jwks;      // empty: none
  std::string auth_issuer;              // empty: not checked
  std::string auth_audience;            // empty: not checked
  std::string public_url;               // empty: the host of the request

  struct Site {
    std::string name = "maejin";
    std::string help_url;        // empty: no link
    std::string terms_url;       // empty: no link
    std::filesystem::path logo;  // empty: pages show the name
    std::optional<Color> color;
  } site;

  struct Http {
    std::size_t header_limit_bytes = 16 << 10;
    std::size_t body_limit_bytes = 64 << 10;
    Seconds header_deadline{10};
    Seconds idle_deadline{60};
    std::size_t connections = 18'000;
    std::size_t connections_per_address = 1000;
    std::size_t reserved_connections = 500;
    std::size_t streams_per_client = 10;
    std::size_t owed_bytes = 128 << 20;
    std::size_t owed_bytes_per_address = 32 << 20;
    std::size_t owed_bytes_per_connection = 16 << 20;
    std::size_t least_read_bytes_per_second = 16 << 10;
    std::size_t seat_map_bytes = 128 << 20;
    std::vector<std::string> cors_origins;
    std::vector<std::string> frame_ancestors;
    std::vector<std::string> trusted_proxies;
    Seconds drain{10};
  } http;

  struct Payment {
    PaymentKind provider = PaymentKind::kInstant;
    Address sandbox;
    std::filesystem::path callback_secret_file;  // never empty
    std::optional<Address> refund;               // absent: the payment service polls for refunds that are due
    std::string refund_path = "/";
    bool refund_tls = false;
    std::filesystem::path refund_ca_file;  // empty: the authorities that the system trusts
    Seconds deadline{10};
    std::size_t connections = 32;
  } payment;

  struct Webhooks {
    bool allow_private = false;
    std::filesystem::path ca_file;  // empty: the authorities that the system trusts
  } webhooks;

  // For the command `maejin events mail`.
  struct Mail {
    std::string smtp_url;
    std::string from;
    std::string sender_name;
    std::string lookup_url;                // empty: addresses_file is used
    std::filesystem::path addresses_file;  // empty: lookup_url is used
    std::string language = "ko";
    std::filesystem::path templates;  // empty: the program's own
    std::filesystem::path ca_file;    // empty: the authorities that the system trusts
  } mail;

  Seconds reconcile_every{60};
  std::size_t metrics_rooms = 20;
  std::chrono::days retention{0};  // how long past reservations keep their user; 0: for ever
  int events_keep_days = 30;

  struct Backup {
    std::filesystem::path folder;  // empty: no scheduled backups
    std::chrono::minutes every{60};
    std::size_t keep = 48;
    std::filesystem::path key_file;  // empty: not encrypted
  } backup;

  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
  std::string access_log;  // empty: none; "-": standard error; otherwise a file

  // The same settings as text with origins, for display.
  Settings settings;
};

// All sources of settings. ReadSettings() reads no others, so tests can supply their own.
struct ConfigSources {
  // By option name ("auth.users").
  std::map<std::string, std::string> flags;
  // The environment as "NAME=value".
  std::vector<std::string> environment;
  // The file that --config names. Absent: the file that MAEJIN_CONFIG names, else `default_file` if it
  // exists.
  std::optional<std::filesystem::path> file;
  std::filesystem::path default_file = "maejin.toml";
};

// Sentences for the operator, one per error; never empty.
using ConfigErrors = std::vector<std::string>;

// Every setting with its origin. Refuses unreadable files, unknown keys (the error suggests the nearest known
// key) and values of the wrong type or range.
Result<Settings, ConfigErrors> ReadSettings(const ConfigSources& sources);

// kDatabase: for commands that use only the database. They accept `mysql` without `redis`.
enum class ConfigUse : std::uint8_t { kServer, kDatabase };

// The typed configuration. Refuses settings that conflict, such as `mysql` without `redis`, or an address
// beyond loopback without `auth.users`.
Result<Config, ConfigErrors> MakeConfig(const Settings& settings, ConfigUse use = ConfigUse::kServer);

// The value for display; "(secret)" for secrets.
std::string Shown(std::string_view name, const Setting& setting);

}  // namespace maejin::config
