#include "config/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/time_zone.h"
#include "config/address.h"
#include "server/client_address.h"

namespace maejin::config {
namespace {

// What a setting's text must be beyond its type, as Complaint() says it.

// "https://shop.example", "http://localhost:5173": a scheme, a host, a port unless it is the scheme's own; no path.
bool IsOrigin(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
  const auto mark = text.find("://");
  if (mark == std::string_view::npos || mark == 0) return false;
  const auto scheme = text.substr(0, mark);
  const auto place = text.substr(mark + 3);
  if (place.empty() || scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+.-") != scheme.npos)
    return false;
  if (place.find_first_not_of(kAllowed) != place.npos) return false;
  return !(scheme == "https" && place.ends_with(":443")) && !(scheme == "http" && place.ends_with(":80"));
}

std::optional<std::string> ZoneComplaint(std::string_view value) {
  if (TimeZone::Find(value)) return {};
  return "must be the name of a time zone, such as Asia/Seoul or UTC";
}

std::optional<std::string> HttpUrlComplaint(std::string_view value) {
  if (ParseHttpUrl(value)) return {};
  return "must be like http://127.0.0.1:9090";
}

std::optional<std::string> RefundUrlComplaint(std::string_view value) {
  if (ParseHttpOrHttpsUrl(value)) return {};
  return "must be like https://pay.example/refunds or http://127.0.0.1:9000/refunds";
}

std::optional<std::string> NetworksComplaint(std::string_view value) {
  if (http::ProxyTrust::Parse(ListItems(value))) return {};
  return "must be addresses or networks, such as 10.0.0.0/8";
}

std::optional<std::string> OriginsComplaint(std::string_view value) {
  const auto origins = ListItems(value);
  const auto good = [](const std::string& origin) { return origin == "*" || IsOrigin(origin); };
  if (std::all_of(origins.begin(), origins.end(), good)) return {};
  return "must be origins as browsers name them, such as https://shop.example: with the scheme, in lower "
         "case, without a "
         "path, without the scheme's own port; or *";
}

constexpr Option kOptions[] = {
    {"listen", OptionType::kAddress, "127.0.0.1:8080",
     "Where the server listens. Port 0 takes a free one, which the first line of output names."},
    {"data", OptionType::kPath, "./maejin-data",
     "The folder of the embedded store: database, signing keys, admin key. `serve`, `demo` and `data import` "
     "create it where it is missing."},
    {"redis", OptionType::kSecret, "",
     "Waiting rooms on Redis or Valkey, shared by many nodes: `redis://`, `rediss://`, `redis+sentinel://` "
     "or "
     "`redis+cluster://`, as in docs/operations.md. Empty: in the data folder."},
    {"mysql", OptionType::kSecret, "",
     "Bookings on MariaDB or MySQL, for several nodes: `mysql://user:password@host:3306/database`, together "
     "with `redis`. "
     "Parameters: `tls` (off, required, verify), `tls-ca`, `tls-cert`, `tls-key`, `socket`, `connections`, "
     "`queue`, "
     "`read-timeout-ms`."},
    {"timezone",
     OptionType::kText,
     "Asia/Seoul",
     "The zone whose days, weeks and months the rankings use: a name of the IANA time zone database.",
     {},
     0,
     0,
     ZoneComplaint},
    {"admin-key-file", OptionType::kPath, "",
     "A file whose first line is the admin key. Default: `admin.key` in the data folder, created on first "
     "start."},
    {"keys", OptionType::kPath, "",
     "The folder of the signing keys. Default: `keys` in the data folder, created on first start."},
    {"threads", OptionType::kInteger, "0", "Threads that serve requests. 0: one for each core.", {}, 0, 1024},
    {"auth.users", OptionType::kChoice, "",
     "Who says who a fan is: `trusted` believes `userId` and `X-User-Id`; `signed` asks for the operator's "
     "signed "
     "user token. Default: `trusted` on a loopback address; on any other one the choice must be made.",
     "trusted|signed"},
    {"auth.key-file", OptionType::kPath, "",
     "The key that verifies signed user tokens: a PEM public key (ES256, RS256), or a secret of at least 32 "
     "bytes "
     "(HS256)."},
    {"auth.jwks", OptionType::kPath, "", "A file with a JSON Web Key Set that verifies signed user tokens."},
    {"http.header-limit-bytes",
     OptionType::kInteger,
     "16384",
     "The longest request head, in bytes, before 431.",
     {},
     1024,
     65536},
    {"http.body-limit-bytes",
     OptionType::kInteger,
     "65536",
     "The longest body, in bytes, before 413. Streamed admin imports are exempt.",
     {},
     1024,
     16777216},
    {"http.header-deadline-seconds",
     OptionType::kInteger,
     "10",
     "How long a client may take to send a request's head.",
     {},
     1,
     3600},
    {"http.idle-deadline-seconds",
     OptionType::kInteger,
     "60",
     "How long a connection may stay open between two requests.",
     {},
     1,
     86400},
    {"http.connections", OptionType::kInteger, "18000", "Open connections in all.", {}, 1, 10000000},
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
     "Memory for responses that clients have not read yet, in all; a client beyond it is dropped.",
     {},
     1048576,
     1099511627776},
    {"http.owed-bytes-per-address",
     OptionType::kInteger,
     "33554432",
     "The same for one client address; loopback and trusted proxies are exempt.",
     {},
     65536,
     1099511627776},
    {"http.owed-bytes-per-connection",
     OptionType::kInteger,
     "16777216",
     "The same for one connection.",
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
     "Web origins that may call from a browser, e.g. `https://shop.example`; `*` allows all.",
     {},
     0,
     0,
     OriginsComplaint},
    {"http.trusted-proxies",
     OptionType::kList,
     "",
     "Addresses or networks (`10.0.0.0/8`) whose `X-Forwarded-For` and `Forwarded` headers are believed.",
     {},
     0,
     0,
     NetworksComplaint},
    {"http.drain-seconds",
     OptionType::kInteger,
     "10",
     "After SIGTERM: how long running requests may take before the server exits.",
     {},
     0,
     3600},
    {"payment.provider", OptionType::kChoice, "instant",
     "Who takes the money: `instant` records it in maejin itself, `sandbox` is `maejin sandbox-pay`, "
     "`callback` is your own "
     "payment service, which confirms with a signed call (docs/payments.md).",
     "instant|sandbox|callback"},
    {"payment.sandbox-url",
     OptionType::kText,
     "http://127.0.0.1:9090",
     "Where `maejin sandbox-pay` listens.",
     {},
     0,
     0,
     HttpUrlComplaint},
    {"payment.callback-secret-file", OptionType::kPath, "",
     "A file whose first line is the secret shared with your payment service; further lines are accepted as "
     "well. Default: "
     "`payment.secret` in the data folder, created on first start."},
    {"payment.refund-url",
     OptionType::kText,
     "",
     "Where your payment service is asked to give money back, `https://pay.example/refunds` or "
     "`http://127.0.0.1:9000/refunds`. Empty: the service looks for due refunds itself.",
     {},
     0,
     0,
     RefundUrlComplaint},
    {"payment.refund-ca-file", OptionType::kPath, "",
     "A PEM file of the authorities that may sign the certificate of `payment.refund-url`. Empty: those that "
     "the "
     "system trusts."},
    {"payment.deadline-seconds",
     OptionType::kInteger,
     "10",
     "How long a provider may take to answer before the customer is told that the payment is under way.",
     {},
     1,
     300},
    {"payment.connections", OptionType::kInteger, "32", "Connections to the payment provider.", {}, 1, 1024},
    {"rankings.reconcile-seconds",
     OptionType::kInteger,
     "60",
     "How often a part of the rankings is compared with the database; what differs is counted and repaired.",
     {},
     1,
     86400},
    {"metrics.rooms",
     OptionType::kInteger,
     "20",
     "How many rooms, the busiest, have series of their own in /metrics. The totals count all of them.",
     {},
     0,
     1000},
    {"log.level", OptionType::kChoice, "info", "The least important line of the log that is written.",
     "debug|info|warning|error|off"},
    {"log.access", OptionType::kText, "",
     "Where the access log goes: empty for nowhere, `-` for standard error, otherwise a file that is "
     "appended to."},
};

bool IsChoice(std::string_view choices, std::string_view value) {
  while (!choices.empty()) {
    const auto bar = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, bar) == value) return true;
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return false;
}

// What does not fit the type.
std::optional<std::string> Misshape(const Option& option, std::string_view value) {
  switch (option.type) {
    case OptionType::kInteger:
      if (WholeNumber<std::int64_t>(value, option.min, option.max)) return std::nullopt;
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
      return "must be one line of text";
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

std::optional<std::string> Complaint(const Option& option, std::string_view value) {
  if (value == option.fallback) return std::nullopt;
  if (auto misshape = Misshape(option, value)) return misshape;
  return option.check != nullptr ? option.check(value) : std::nullopt;
}

std::vector<std::string> ListItems(std::string_view value) {
  std::vector<std::string> items;
  while (!value.empty()) {
    const auto comma = std::min(value.find(','), value.size());
    auto item = value.substr(0, comma);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
    value.remove_prefix(std::min(comma + 1, value.size()));
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
