#include "cli/snippet_rules.h"

#include <map>

#include <fmt/format.h>

#include "base/take_until.h"
#include "domain/waiting_room/return_url.h"

namespace maejin::cli {
namespace {

// The paths of maejin's waiting page.
constexpr std::string_view kPages =
    R"(^/(wait/|events/|assets/|favicon\.svg$|api/v1/(rooms/|concerts/|time$)))";
constexpr std::string_view kPagePrefixes[] = {
    "/wait/", "/events/", "/assets/", "/favicon.svg", "/api/v1/rooms/", "/api/v1/concerts/", "/api/v1/time"};
// Paths that gateways and shops may read in different ways: always behind the gate. A Java shop drops ";" and
// the text up to the next "/". Caddy writes "#" as "%23".
constexpr std::string_view kOdd = R"(//|/\.\.?(/|$)|%2e|%2f|%5c|\\|;|%3b|#|%23)";
// kOdd, escaped for a quoted string of nginx.
constexpr std::string_view kOddInNginx = R"(//|/\.\.?(/|$)|%2e|%2f|%5c|\\\\|;|%3b|#|%23)";

constexpr std::string_view kNginxHeaders =
    R"(    # What the gate believes of the request. A visitor must not choose its own user id.
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Uri $request_uri;
    proxy_set_header X-Original-URL "";
    proxy_set_header X-Original-URI "";
    proxy_set_header Forwarded "";
    proxy_set_header X-User-Id "";
)";

// Printed if visitors wait on the shop's own host.
constexpr std::string_view kNginxPages = R"(# maejin's waiting page, on the shop's host.
location ~ {pages} {{
    proxy_pass {maejin};
    proxy_buffering off;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header Forwarded "";
}}
)";

constexpr std::string_view kNjsCached = R"(        proxy_cache_key $uri;
        proxy_cache_use_stale error timeout updating invalid_header http_500 http_502 http_503 http_504;
        proxy_cache_lock on;
        proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;
        proxy_method GET;
        proxy_pass_request_headers off;
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
        proxy_connect_timeout 1s;
        proxy_read_timeout 2s;
)";

constexpr std::string_view kEnvoyPerRoute =
    "type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute";

using Fields = std::map<std::string_view, std::string>;

std::string Join(const std::vector<std::string>& items, std::string_view between,
                 std::string_view quote = "") {
  std::string text;
  for (const auto& item : items)
    text.append(text.empty() ? "" : between).append(quote).append(item).append(quote);
  return text;
}

std::string WithoutSlash(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

// Escapes the text for a regular expression.
std::string Literal(std::string_view text) {
  std::string escaped;
  for (const char each : text) {
    if (each == '.' || each == '+') escaped.push_back('\\');
    escaped.push_back(each);
  }
  return escaped;
}

std::string AnyOf(const std::vector<std::string>& items) {
  std::vector<std::string> escaped;
  for (const auto& item : items) escaped.push_back(Literal(WithoutSlash(item)));
  return Join(escaped, "|");
}

std::string Indented(std::string_view text, std::string_view by) {
  std::string lines;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n') + 1);
    lines.append(by).append(line);
    text.remove_prefix(line.size());
  }
  return lines;
}

void FillNginx(const SnippetRules& rules, Fields& fields) {
  auto& allow = fields["allow"];
  for (const auto& network : rules.networks) allow += fmt::format("    allow {};\n", network);
  if (!allow.empty())
    allow = "    # Visitors from these networks do not wait.\n    satisfy any;\n" + allow + "    deny all;\n";
  auto& free = fields["rules"];
  if (!rules.methods.empty())
    free +=
        fmt::format("    if ($request_method ~ \"^({})$\") {{ return 204; }}\n", Join(rules.methods, "|"));
  if (!rules.crawlers.empty())
    free += fmt::format("    if ($http_user_agent ~* \"{}\") {{ return 204; }}\n", AnyOf(rules.crawlers));
  if (!rules.exempt.empty()) {
    free += fmt::format(
        "    set $maejin_free \"\";\n    if ($maejin_path ~ \"^({})(/|$)\") {{ set $maejin_free 1; }}\n"
        "    # A path that nginx and the shop may read in different ways waits.\n"
        "    if ($request_uri ~* \"^[^?]*({})\") {{ set $maejin_free \"\"; }}\n"
        "    if ($maejin_free) {{ return 204; }}\n",
        AnyOf(rules.exempt), kOddInNginx);
  }
  fields["wait"] = rules.wait.empty() ? "$maejin_wait" : rules.wait;
  fields["headers"] = kNginxHeaders;
  const auto shop = fmt::format("    proxy_pass {};\n    proxy_set_header Host $http_host;\n", rules.shop);
  fields["error"] = rules.admits_on_error
                        ? shop
                        : "    default_type text/plain;\n    add_header Retry-After 5 always;\n"
                          "    return 503 \"Please try again in a moment.\\n\";\n";
  fields["location"] = "/";
  if (rules.protect != "/") {
    // Some shops ignore the case of letters. A path with ";" may be another form of the protected path.
    // maejin's own pages come first: nginx takes the first pattern that matches.
    fields["location"] = fmt::format("~* \"^{}(/|$)|;\"", Literal(WithoutSlash(rules.protect)));
    fields["rest"] = fmt::format(
        "# Not behind the gate.\nlocation / {{\n    if ($request_uri ~* \"^[^?]*({})\") {{ return 400; "
        "}}\n{}}}\n",
        kOddInNginx, shop);
  }
  if (rules.wait.empty() && rules.public_url.empty()) {
    fields["pages"] =
        fmt::format(fmt::runtime(kNginxPages), fmt::arg("pages", kPages), fmt::arg("maejin", rules.maejin));
  }
}

void FillNjs(const SnippetRules& rules, Fields& fields) {
  for (const auto& network : rules.networks) fields["geo"] += fmt::format("    {} 1;\n", network);
  fields["headers"] = Indented(kNginxHeaders, "    ");
  fields["cached"] = kNjsCached;
  fields["cache"] = "/var/cache/nginx-maejin";
  if (rules.public_url.empty()) {
    fields["pages"] = Indented(
        fmt::format(fmt::runtime(kNginxPages), fmt::arg("pages", kPages), fmt::arg("maejin", rules.maejin)),
        "    ");
  }
}

void FillCaddy(const SnippetRules& rules, Fields& fields) {
  const auto odd = fmt::format("not vars_regexp {{http.request.uri}} (?i)^[^?]*({})", kOdd);
  const auto paths = [](const std::vector<std::string>& items) {
    std::string text;
    for (const auto& item : items) {
      const auto plain = WithoutSlash(item);
      text += fmt::format(" {} {}/*", plain, plain);
    }
    return text;
  };
  auto& free = fields["rules"];
  const auto add = [&](std::string_view name, std::string_view matcher) {
    free += fmt::format("\t\t@{} {}\n\t\treverse_proxy @{} {}\n", name, matcher, name, rules.shop);
  };
  if (!rules.methods.empty()) add("maejin_method", "method " + Join(rules.methods, " "));
  if (!rules.networks.empty()) add("maejin_network", "remote_ip " + Join(rules.networks, " "));
  if (!rules.crawlers.empty())
    add("maejin_crawler", fmt::format("header_regexp User-Agent \"(?i)({})\"", AnyOf(rules.crawlers)));
  if (!rules.exempt.empty())
    add("maejin_exempt", fmt::format("{{\n\t\t\tpath{}\n\t\t\t{}\n\t\t}}", paths(rules.exempt), odd));
  if (rules.protect != "/")
    add("maejin_rest", fmt::format("{{\n\t\t\tnot path{}\n\t\t\t{}\n\t\t}}", paths({rules.protect}), odd));
  if (rules.public_url.empty()) {
    fields["pages"] = fmt::format(
        "\t\t# maejin's waiting page, on the shop's host.\n\t\t@maejin_pages path_regexp {}\n"
        "\t\treverse_proxy @maejin_pages {} {{\n\t\t\tflush_interval -1\n\t\t}}\n",
        kPages, rules.maejin);
  }
  fields["error"] = rules.admits_on_error ? fmt::format("\t\treverse_proxy @maejin_gate {}\n", rules.shop)
                                          : "\t\thandle @maejin_gate {\n\t\t\theader Retry-After 5\n"
                                            "\t\t\trespond \"Please try again in a moment.\" 503\n\t\t}\n";
}

void FillTraefik(const SnippetRules& rules, Fields& fields) {
  std::vector<std::string> free;
  const auto odd = fmt::format("!PathRegexp(`(?i)({})`)", kOdd);
  const auto path = [](const std::string& item) {
    const auto plain = WithoutSlash(item);
    return fmt::format("Path(`{}`) || PathPrefix(`{}/`)", plain, plain);
  };
  std::vector<std::string> exempt;
  for (const auto& item : rules.exempt) exempt.push_back(path(item));
  if (!exempt.empty()) free.push_back(fmt::format("(({}) && {})", Join(exempt, " || "), odd));
  for (const auto& method : rules.methods) free.push_back(fmt::format("Method(`{}`)", method));
  for (const auto& network : rules.networks) free.push_back(fmt::format("ClientIP(`{}`)", network));
  if (!rules.crawlers.empty())
    free.push_back(fmt::format("HeaderRegexp(`User-Agent`, `(?i)({})`)", AnyOf(rules.crawlers)));
  if (rules.protect != "/") {
    // A path with encoded characters may be another form of the protected path.
    const auto plain = Literal(WithoutSlash(rules.protect));
    free.push_back(fmt::format("(!PathRegexp(`(?i)^{}(/|$)|%`) && {})", plain, odd));
  }
  const auto router = [](std::string_view name, int priority, const std::string& rule,
                         std::string_view service) {
    return fmt::format(
        "    {}:\n      entryPoints: [web]\n      priority: {}\n      rule: >-\n        {}\n      service: "
        "{}\n",
        name, priority, rule, service);
  };
  if (!free.empty()) fields["rules"] = router("maejin-free", 20, Join(free, " ||\n        "), "shop");
  if (rules.public_url.empty())
    fields["pages"] = "    # maejin's waiting page, on the shop's host.\n" +
                      router("maejin-pages", 30, fmt::format("PathRegexp(`{}`)", kPages), "maejin");
}

void FillEnvoy(const SnippetRules& rules, Fields& fields) {
  const auto route = [](const std::string& match, std::string_view cluster) {
    return fmt::format(R"(                        - match: {{ {} }}
                          route: {{ cluster: {} }}
                          typed_per_filter_config:
                            envoy.filters.http.ext_authz:
                              "@type": {}
                              disabled: true
)",
                       match, cluster, kEnvoyPerRoute);
  };
  auto& free = fields["rules"];
  for (const auto& path : rules.exempt) {
    const auto plain = Literal(WithoutSlash(path));
    free += route(fmt::format("safe_regex: {{ regex: '{}(/([^;#%]|%[^3]|%3[^bB])*)?' }}", plain), "shop");
  }
  for (const auto& method : rules.methods) {
    free +=
        route(fmt::format("prefix: \"/\", headers: [{{ name: \":method\", string_match: {{ exact: {} }} }}]",
                          method),
              "shop");
  }
  if (!rules.crawlers.empty()) {
    free += route(fmt::format("prefix: \"/\", headers: [{{ name: user-agent, string_match: {{ safe_regex: "
                              "{{ regex: \"(?i).*({}).*\" }} }} }}]",
                              Join(rules.crawlers, "|")),
                  "shop");
  }
  if (rules.protect != "/") {
    const auto plain = WithoutSlash(rules.protect);
    for (const auto& match : {fmt::format("path: \"{}\"", plain), fmt::format("prefix: \"{}/\"", plain)})
      free += fmt::format(R"(                        - match: {{ {}, case_sensitive: false }}
                          route: {{ cluster: shop }}
)",
                          match);
    // Other paths stay behind the gate: they may be other forms of the protected path.
    free += route("safe_regex: { regex: \"[^%;#]*\" }", "shop");
  }
  if (rules.public_url.empty()) {
    fields["pages"] = "                        # maejin's waiting page, on the shop's host.\n";
    for (const auto prefix : kPagePrefixes)
      fields["pages"] += route(fmt::format("prefix: \"{}\"", prefix), "maejin");
  }
}

void FillHaproxy(const SnippetRules& rules, Fields& fields) {
  if (!rules.networks.empty()) {
    fields["allow"] = fmt::format("    acl maejin_allowed src {}\n", Join(rules.networks, " "));
    fields["unless"] = " unless maejin_allowed";
  }
  if (!rules.public_url.empty()) return;
  fields["pages"] =
      fmt::format("    # maejin's waiting page, on the shop's host.\n    acl maejin_page path_beg {}\n",
                  fmt::join(kPagePrefixes, " "));
  fields["use"] = "    use_backend maejin if maejin_page\n";
  fields["unless"] = rules.networks.empty() ? " unless maejin_page" : " unless maejin_allowed or maejin_page";
}

void FillApache(const SnippetRules& rules, Fields& fields) {
  if (!rules.public_url.empty()) return;
  fields["pages"] = "    # maejin's waiting page, on the shop's host.\n";
  for (const auto prefix : kPagePrefixes) {
    fields["pages"] +=
        fmt::format("    ProxyPass {} {}{} nocanon flushpackets=on\n", prefix, rules.maejin, prefix);
    fields["page_list"] += fmt::format("{}\"{}\"", fields["page_list"].empty() ? "" : ", ", prefix);
  }
}

Fields FieldsOf(const SnippetRules& rules) {
  const auto maejin = ParseWebUrl(rules.maejin);
  const auto shop = ParseWebUrl(rules.shop);
  const auto colon = rules.listen.find(':');
  return {{"maejin", rules.maejin},
          {"maejin_name", maejin->host},
          {"maejin_port", std::to_string(maejin->port)},
          {"shop", rules.shop},
          {"shop_name", shop->host},
          {"shop_port", std::to_string(shop->port)},
          {"worker_shop", rules.shop},
          {"room", rules.room},
          {"listen", rules.listen},
          {"listen_host", rules.listen.substr(0, colon)},
          {"listen_port", rules.listen.substr(colon + 1)},
          {"public_url", rules.public_url},
          {"protect", rules.protect},
          {"exempt_list", Join(rules.exempt, ", ", "\"")},
          {"method_list", Join(rules.methods, ", ", "\"")},
          {"network_list", Join(rules.networks, ", ", "\"")},
          {"crawler_list", Join(rules.crawlers, ", ", "\"")},
          {"on_error", rules.admits_on_error ? "admit" : "hold"},
          {"admits", rules.admits_on_error ? "true" : "false"}};
}

void Replace(std::string& text, std::string_view name, std::string_view value) {
  const auto mark = "{" + std::string(name) + "}";
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
}

}  // namespace

std::vector<std::string> ListOf(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const auto item = TakeUntil(text, ',');
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

std::string FillSnippet(std::string_view text, const SnippetRules& rules, std::string_view kind,
                        std::string_view lua_rules) {
  auto fields = FieldsOf(rules);
  if (kind == "nginx") FillNginx(rules, fields);
  if (kind == "njs") FillNjs(rules, fields);
  if (kind == "caddy") FillCaddy(rules, fields);
  if (kind == "traefik") FillTraefik(rules, fields);
  if (kind == "envoy") FillEnvoy(rules, fields);
  if (kind == "haproxy") FillHaproxy(rules, fields);
  if (kind == "apache") FillApache(rules, fields);
  if (kind == "haproxy" || kind == "apache") fields["rules"] = lua_rules;
  for (const auto* name : {"allow", "rules", "rest", "pages", "geo", "unless", "use", "page_list"})
    fields[name];
  std::string filled(text);
  for (const auto& [name, value] : fields) Replace(filled, name, value);
  return filled;
}

}  // namespace maejin::cli
