#include "config/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/color.h"
#include "base/numbers.h"
#include "base/take_until.h"
#include "base/time_zone.h"
#include "config/address.h"
#include "server/client_address.h"

namespace maejin::config {
namespace {

// The functions Check… return the end of an error sentence, or nothing for a valid value.

// "https://shop.example", "http://localhost:5173": scheme, host, and port unless it is the scheme's default;
// no path.
bool IsOrigin(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
  const auto mark = text.find("://");
  if (mark == std::string_view::npos || mark == 0) return false;
  const auto scheme = text.substr(0, mark);
  const auto host = text.substr(mark + 3);
  if (host.empty() || scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+.-") != scheme.npos)
    return false;
  if (host.find_first_not_of(kAllowed) != host.npos) return false;
  return !(scheme == "https" && host.ends_with(":443")) && !(scheme == "http" && host.ends_with(":80"));
}

std::optional<std::string> CheckTimeZone(std::string_view value) {
  if (TimeZone::Find(value)) return {};
  return "must be the name of a time zone, such as Asia/Seoul or UTC";
}

std::optional<std::string> CheckAddress(std::string_view value) {
  if (ParseAddress(value)) return {};
  return "must be an address and a port, such as 127.0.0.1:9100";
}

std::optional<std::string> CheckHttpUrl(std::string_view value) {
  if (ParseHttpUrl(value)) return {};
  return "must be like http://127.0.0.1:9090";
}

std::optional<std::string> CheckRefundUrl(std::string_view value) {
  if (ParseHttpOrHttpsUrl(value)) return {};
  return "must be like https://pay.example/refunds or http://127.0.0.1:9000/refunds";
}

std::optional<std::string> CheckNetworks(std::string_view value) {
  if (http::ProxyTrust::Parse(ListItems(value))) return {};
  return "must be addresses or networks, such as 10.0.0.0/8";
}

std::optional<std::string> CheckOrigins(std::string_view value) {
  const auto origins = ListItems(value);
  const auto good = [](const std::string& origin) { return origin == "*" || IsOrigin(origin); };
  if (std::all_of(origins.begin(), origins.end(), good)) return {};
  return "must be origins as browsers send them, such as https://shop.example: with the scheme, in lower "
         "case, without a path, without the scheme's default port; or *";
}

std::optional<std::string> CheckPublicUrl(std::string_view value) {
  if (value.empty() || IsOrigin(value)) return {};
  return "must be an origin as browsers see it, such as https://tickets.example: with the scheme, in lower "
         "case, without a path";
}

std::optional<std::string> CheckPageUrl(std::string_view value) {
  const bool absolute = value.starts_with("http://") || value.starts_with("https://");
  if (value.empty() || absolute || value.starts_with("/")) return {};
  return "must be an address of a page, such as https://shop.example/help or /help";
}

std::optional<std::string> CheckColor(std::string_view value) {
  if (value.empty() || ParseColor(value)) return {};
  return "must be a colour such as #b9252b";
}

std::optional<std::string> CheckSmtpUrl(std::string_view value) {
  if (value.starts_with("smtp://") || value.starts_with("smtps://")) return {};
  return "must be like smtp://127.0.0.1:25 or smtps://mail.example:465";
}

std::optional<std::string> CheckLookupUrl(std::string_view value) {
  if (value.starts_with("http://") || value.starts_with("https://")) return {};
  return "must be like https://shop.example/addresses";
}

constexpr Option kOptions[] = {
    {"listen", OptionType::kAddress, "127.0.0.1:8080",
     "Address and port of the server. Port 0 chooses a free port; the first line of output names it."},
    {"admin-listen",
     OptionType::kText,
     "",
     "Address and port for operators: the admin API and `/metrics` are then served there only, without TLS. "
     "Empty: on `listen`.",
     {},
     0,
     0,
     CheckAddress},
    {"http-redirect-listen",
     OptionType::kText,
     "",
     "Address and port that redirect plain HTTP to HTTPS on `listen`. Needs `tls.cert-file`.",
     {},
     0,
     0,
     CheckAddress},
    {"tls.cert-file", OptionType::kPath, "",
     "PEM file with the certificate of `listen` and those of its issuers: TLS 1.2 and 1.3. Read again when "
     "it "
     "changes. Empty: plain HTTP."},
    {"tls.key-file", OptionType::kPath, "", "PEM file with the private key of `tls.cert-file`."},
    {"data", OptionType::kPath, "./maejin-data",
     "Folder of the embedded store: database, signing keys, admin key. `serve`, `demo`, `restore` and `data "
     "import` create it if it is missing."},
    {"redis", OptionType::kSecret, "",
     "URL of the Redis or Valkey for waiting rooms that several nodes share: `redis://`, `rediss://`, "
     "`redis+sentinel://` or `redis+cluster://` (docs/operations.md). Empty: waiting rooms are in the data "
     "folder."},
    {"mysql", OptionType::kSecret, "",
     "URL of the MariaDB or MySQL for bookings that several nodes share: "
     "`mysql://user:password@host:3306/database`. Needs `redis`. Parameters: `tls` (off, required, verify), "
     "`tls-ca`, `tls-cert`, `tls-key`, `socket`, `connections`, `queue`, `read-timeout-ms`."},
    {"timezone",
     OptionType::kText,
     "Asia/Seoul",
     "IANA name of the time zone whose days, weeks and months the rankings use.",
     {},
     0,
     0,
     CheckTimeZone},
    {"admin-key-file", OptionType::kPath, "",
     "File whose first line is the admin key. Default: `admin.key` in the data folder, created on first "
     "start."},
    {"keys", OptionType::kPath, "",
     "Folder of the signing keys. Default: `keys` in the data folder, created on first start."},
    {"threads", OptionType::kInteger, "0", "Number of server threads. 0: one per core.", {}, 0, 1024},
    {"auth.users", OptionType::kChoice, "",
     "How users are authenticated: `trusted` accepts `userId` and `X-User-Id` unchecked; `signed` requires "
     "the "
     "operator's signed user token. Default: `trusted` on a loopback address; required on any other address.",
     "trusted|signed"},
    {"auth.key-file", OptionType::kPath, "",
     "File with the key that verifies signed user tokens: a PEM public key (ES256, RS256), or a secret of at "
     "least 32 bytes (HS256)."},
    {"auth.jwks", OptionType::kPath, "", "File with a JSON Web Key Set that verifies signed user tokens."},
    {"auth.issuer", OptionType::kText, "",
     "The `iss` that signed user tokens must have. Empty: any issuer whose signature is valid."},
    {"auth.audience", OptionType::kText, "",
     "The `aud` that signed user tokens must have, alone or in a list. Empty: any audience."},
    {"public-url",
     OptionType::kText,
     "",
     "The address of maejin as browsers see it, e.g. `https://tickets.example`: redirects to the waiting "
     "page "
     "begin with it. Empty: the host of the request.",
     {},
     0,
     0,
     CheckPublicUrl},
    {"site.name", OptionType::kText, "maejin",
     "The organiser's name on pages for fans: in the header, in titles and in Open Graph tags."},
    {"site.help-url",
     OptionType::kText,
     "",
     "The organiser's help page, e.g. `https://shop.example/help`: a link in the footer of pages for fans. "
     "Empty: no link.",
     {},
     0,
     0,
     CheckPageUrl},
    {"site.terms-url",
     OptionType::kText,
     "",
     "The terms of sale, e.g. `https://shop.example/terms`: a link in the footer of pages for fans. Empty: "
     "no "
     "link.",
     {},
     0,
     0,
     CheckPageUrl},
    {"site.logo", OptionType::kPath, "",
     "File with the organiser's logo, in place of the name in the header of pages for fans: PNG, JPEG or "
     "WebP, "
     "at most 256 kB and 512 pixels high. No SVG, because it can carry scripts. Read at start."},
    {"site.color",
     OptionType::kText,
     "",
     "The organiser's colour on pages for fans, e.g. `#b9252b`. Where text in it could not be read, the "
     "pages "
     "use it darker, or lighter on dark pages. Empty: the pages' own. Concerts may have another.",
     {},
     0,
     0,
     CheckColor},
    {"http.header-limit-bytes",
     OptionType::kInteger,
     "16384",
     "Maximum size of a request head, in bytes. A larger head is answered with 431.",
     {},
     1024,
     65536},
    {"http.body-limit-bytes",
     OptionType::kInteger,
     "65536",
     "Maximum size of a request body, in bytes. A larger body is answered with 413. Streamed admin imports "
     "are exempt.",
     {},
     1024,
     16777216},
    {"http.header-deadline-seconds",
     OptionType::kInteger,
     "10",
     "Time limit for receiving a request head.",
     {},
     1,
     3600},
    {"http.idle-deadline-seconds",
     OptionType::kInteger,
     "60",
     "Time limit for a connection without a request.",
     {},
     1,
     86400},
    {"http.connections",
     OptionType::kInteger,
     "18000",
     "Maximum number of open connections.",
     {},
     1,
     10000000},
    {"http.connections-per-address",
     OptionType::kInteger,
     "1000",
     "Open connections from one client address; loopback is exempt. Behind a trusted proxy: running requests "
     "and event streams of the forwarded address.",
     {},
     1,
     10000000},
    {"http.reserved-connections",
     OptionType::kInteger,
     "500",
     "How many of `http.connections`, at most a quarter, serve only health checks, operators, holds, "
     "payments "
     "and refunds.",
     {},
     0,
     10000000},
    {"http.streams-per-client",
     OptionType::kInteger,
     "10",
     "Event streams of one queue token, and of one user. 0: no limit.",
     {},
     0,
     1000000},
    {"http.owed-bytes",
     OptionType::kInteger,
     "134217728",
     "Total memory for responses that clients have not read yet; a client that exceeds it is dropped.",
     {},
     1048576,
     1099511627776},
    {"http.owed-bytes-per-address",
     OptionType::kInteger,
     "33554432",
     "Memory for responses that one client address has not read yet; loopback and trusted proxies are "
     "exempt.",
     {},
     65536,
     1099511627776},
    {"http.owed-bytes-per-connection",
     OptionType::kInteger,
     "16777216",
     "Memory for responses that one connection has not read yet.",
     {},
     65536,
     1099511627776},
    {"http.least-read-bytes-per-second",
     OptionType::kInteger,
     "16384",
     "A client that reads its responses more slowly than this is dropped; event streams are exempt. 0: no "
     "minimum.",
     {},
     0,
     1073741824},
    {"http.seat-map-bytes",
     OptionType::kInteger,
     "134217728",
     "Memory for rendered seat maps, older versions that slow clients still read included.",
     {},
     1048576,
     1099511627776},
    {"http.cors-origins",
     OptionType::kList,
     "",
     "Web origins that browsers may call from, e.g. `https://shop.example`; `*` allows all.",
     {},
     0,
     0,
     CheckOrigins},
    {"http.frame-ancestors",
     OptionType::kList,
     "",
     "Web origins that may show fan pages in a frame (the console never), e.g. `https://shop.example`; `*` "
     "allows all.",
     {},
     0,
     0,
     CheckOrigins},
    {"http.trusted-proxies",
     OptionType::kList,
     "",
     "Addresses or networks (`10.0.0.0/8`) whose `Forwarded`, `X-Forwarded-*` and `X-Original-*` headers are "
     "trusted.",
     {},
     0,
     0,
     CheckNetworks},
    {"http.drain-seconds",
     OptionType::kInteger,
     "10",
     "Time limit for running requests after SIGTERM; then the server exits.",
     {},
     0,
     3600},
    {"payment.provider", OptionType::kChoice, "instant",
     "Payment provider: `instant` records the payment in maejin only, `sandbox` is `maejin sandbox-pay`, "
     "`callback` is your own payment service, which confirms with a signed call (docs/payments.md).",
     "instant|sandbox|callback"},
    {"payment.sandbox-url",
     OptionType::kText,
     "http://127.0.0.1:9090",
     "URL of `maejin sandbox-pay`.",
     {},
     0,
     0,
     CheckHttpUrl},
    {"payment.callback-secret-file", OptionType::kPath, "",
     "File whose first line is the secret shared with your payment service; secrets on further lines are "
     "accepted too. Default: `payment.secret` in the data folder, created on first start."},
    {"payment.refund-url",
     OptionType::kText,
     "",
     "Where your payment service is asked to give money back, `https://pay.example/refunds` or "
     "`http://127.0.0.1:9000/refunds`. Empty: the service looks for due refunds itself.",
     {},
     0,
     0,
     CheckRefundUrl},
    {"payment.refund-ca-file", OptionType::kPath, "",
     "A PEM file of the authorities that may sign the certificate of `payment.refund-url`. Empty: those that "
     "the "
     "system trusts."},
    {"payment.deadline-seconds",
     OptionType::kInteger,
     "10",
     "Time limit for the provider's answer. After it the customer's request is answered with 202: payment in "
     "progress.",
     {},
     1,
     300},
    {"payment.connections",
     OptionType::kInteger,
     "32",
     "Maximum number of connections to the payment provider.",
     {},
     1,
     1024},
    {"rankings.reconcile-seconds",
     OptionType::kInteger,
     "60",
     "Interval in which a section of the boards is compared with the database; differences are counted and "
     "repaired.",
     {},
     1,
     86400},
    {"events.keep-days",
     OptionType::kInteger,
     "30",
     "Number of days that events stay in the feed.",
     {},
     1,
     3650},
    {"backup.folder", OptionType::kPath, "",
     "Folder of scheduled backups, best on another disk. Empty: no backups are scheduled."},
    {"backup.every-minutes",
     OptionType::kInteger,
     "60",
     "Minutes between two scheduled backups: the maximum of lost data if the data folder is lost.",
     {},
     1,
     10080},
    {"backup.keep",
     OptionType::kInteger,
     "48",
     "Number of scheduled backups that are kept; older ones are removed.",
     {},
     1,
     100000},
    {"backup.key-file", OptionType::kPath, "",
     "File whose first line is the secret that encrypts and decrypts backups. Empty: backups are not "
     "encrypted."},
    {"webhooks.allow-private", OptionType::kBoolean, "false",
     "Whether webhooks and health URLs of rooms may go to loopback, private and link-local addresses."},
    {"webhooks.ca-file", OptionType::kPath, "",
     "A PEM file of the authorities that may sign the certificates of webhooks' endpoints. Empty: those that "
     "the system trusts."},
    {"mail.smtp-url",
     OptionType::kSecret,
     "",
     "URL of the mail server for `maejin events mail`: `smtp://user:password@host:587` or "
     "`smtps://host:465`. "
     "Encrypted, except on loopback.",
     {},
     0,
     0,
     CheckSmtpUrl},
    {"mail.from", OptionType::kText, "", "Address of the sender of mails."},
    {"mail.sender-name", OptionType::kText, "", "Name of the sender, beside its address."},
    {"mail.lookup-url",
     OptionType::kSecret,
     "",
     "URL of your service that knows the addresses, asked with `userId=…` for each mail "
     "(docs/events.md). maejin stores no address.",
     {},
     0,
     0,
     CheckLookupUrl},
    {"mail.addresses-file", OptionType::kPath, "",
     "CSV file of user id, address and optionally language, in place of `mail.lookup-url`."},
    {"mail.language", OptionType::kChoice, "ko", "Language of mails to users whose language is unknown.",
     "ko|en"},
    {"mail.templates", OptionType::kPath, "",
     "Folder of your own mail templates, such as `confirmed.ko.txt`. Those that it lacks are the program's."},
    {"mail.ca-file", OptionType::kPath, "",
     "A PEM file of the authorities that may sign the certificates of the mail server and of "
     "`mail.lookup-url`. Empty: those that the system trusts."},
    {"metrics.rooms",
     OptionType::kInteger,
     "20",
     "Number of busiest rooms with their own series in /metrics. The totals count all rooms.",
     {},
     0,
     1000},
    {"privacy.retention-days",
     OptionType::kInteger,
     "0",
     "Days after the date of a concert, or after a reservation ended, until its user is replaced by a "
     "pseudonym. 0: "
     "never.",
     {},
     0,
     36500},
    {"log.level", OptionType::kChoice, "info",
     "Minimum log level. `debug` adds a line with route and code for each refused request.",
     "debug|info|warning|error|off"},
    {"log.format", OptionType::kChoice, "text",
     "Format of the log and of the access log: text lines, or one JSON object per line.", "text|json"},
    {"log.access", OptionType::kText, "",
     "Target of the access log: empty for none, `-` for standard error, otherwise a file, which is appended "
     "to."},
};

bool IsChoice(std::string_view choices, std::string_view value) {
  while (!choices.empty()) {
    if (TakeUntil(choices, '|') == value) return true;
  }
  return false;
}

// Why the value is not of the option's type; absent if it is.
std::optional<std::string> TypeError(const Option& option, std::string_view value) {
  switch (option.type) {
    case OptionType::kInteger:
      if (ParseInt<std::int64_t>(value, option.min, option.max)) return std::nullopt;
      return fmt::format("must be a whole number from {} to {}", option.min, option.max);
    case OptionType::kBoolean:
      if (value == "true" || value == "false") return std::nullopt;
      return "must be true or false";
    case OptionType::kChoice:
      if (IsChoice(option.choices, value)) return std::nullopt;
      return fmt::format("must be one of {}", option.choices);
    case OptionType::kAddress:
      if (ParseAddress(value)) return std::nullopt;
      return "must be an address with a port, such as 127.0.0.1:8080 or [::1]:8080";
    default:
      if (value.find('\0') == std::string_view::npos && value.find('\n') == std::string_view::npos)
        return std::nullopt;
      return "must be a single text line";
  }
}

std::string CodeOrNothing(std::string_view text) { return text.empty() ? "" : fmt::format("`{}`", text); }

}  // namespace

std::span<const Option> Options() { return kOptions; }

const Option* FindOption(std::string_view name) {
  const auto* found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                   [&](const Option& option) { return option.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

std::string FlagOf(const Option& option) {
  std::string flag = "--";
  for (const char c : option.name) flag += c == '.' ? '-' : c;
  return flag;
}

std::string EnvironmentOf(const Option& option) {
  std::string name = "MAEJIN_";
  for (const char c : option.name) {
    name += c == '.' || c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return name;
}

std::string_view TypeName(OptionType type) {
  switch (type) {
    case OptionType::kText:
      return "text";
    case OptionType::kPath:
      return "path";
    case OptionType::kAddress:
      return "address";
    case OptionType::kInteger:
      return "integer";
    case OptionType::kBoolean:
      return "boolean";
    case OptionType::kChoice:
      return "choice";
    case OptionType::kList:
      return "list";
    case OptionType::kSecret:
      return "secret";
  }
  return "text";
}

std::string ArgumentOf(const Option& option) {
  if (option.type == OptionType::kChoice) return std::string(option.choices);
  if (option.type == OptionType::kInteger) return "N";
  if (option.type == OptionType::kSecret) return "URL";
  std::string name;
  for (const char c : TypeName(option.type)) name += static_cast<char>(c - 'a' + 'A');
  return name;
}

std::optional<std::string> ValueError(const Option& option, std::string_view value) {
  if (value == option.fallback) return std::nullopt;
  if (auto error = TypeError(option, value)) return error;
  return option.check != nullptr ? option.check(value) : std::nullopt;
}

std::vector<std::string> ListItems(std::string_view value) {
  std::vector<std::string> items;
  while (!value.empty()) {
    auto item = TakeUntil(value, ',');
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

std::string OptionsAsMarkdown() {
  std::string out = "| key | flag | environment | type | default | meaning |\n|---|---|---|---|---|---|\n";
  for (const auto& option : Options()) {
    const auto type = option.type == OptionType::kInteger
                          ? fmt::format("integer {}…{}", option.min, option.max)
                          : std::string(TypeName(option.type));
    out += fmt::format("| `{}` | `{}` | `{}` | {} | {} | {} |\n", option.name, FlagOf(option),
                       EnvironmentOf(option), type, CodeOrNothing(option.fallback), option.sentence);
  }
  return out;
}

}  // namespace maejin::config
