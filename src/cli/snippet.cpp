#include "cli/snippet.h"

#include <cstdio>

#include <fmt/format.h>

#include "embedded/snippet_express.h"

namespace maejin::cli {
namespace {

// nginx treats the answer of an auth subrequest as follows: 2xx allows, 401 and 403 refuse, others are
// errors (500).
constexpr std::string_view kNginx =
    R"(# In the server block of the shop. maejin listens on {maejin}, the shop on {shop}.
# Set http.trusted-proxies of maejin to the address of this nginx: without it visitors return to the first of
# the room's returnUrls instead of the page that they asked for.
# onGateError = {on_error}: what visitors get while maejin does not answer (--on-gate-error admit|hold).
location {protect} {{
    # Back from the line, with a code that is good once.
    if ($arg_maejin_return != "") {{ rewrite ^ /_maejin/return? last; }}
{allow}    auth_request /_maejin/gate;
    auth_request_set $maejin_gate $upstream_http_x_maejin_gate;
    auth_request_set $maejin_wait $upstream_http_x_maejin_wait;
    error_page 401 403 = @maejin_wait;
    error_page 500 = @maejin_error;
    proxy_pass {shop};
    proxy_set_header Host $http_host;
}}
location = /_maejin/gate {{
    internal;
    proxy_pass {maejin}/gate?room={room};
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
    proxy_connect_timeout 1s;
    proxy_read_timeout 2s;
    # The answer names the address to return to.
    proxy_buffer_size 32k;
    proxy_buffers 4 32k;
{headers}}}
location = /_maejin/return {{
    internal;
    # The code is in the address: it is not logged.
    access_log off;
    proxy_pass {maejin}/gate/return?room={room};
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
    proxy_connect_timeout 1s;
    proxy_read_timeout 5s;
    proxy_intercept_errors on;
    # A code that was used or has expired: the visitor's cookie decides.
    error_page 400 401 = @maejin_again;
{headers}}}
location @maejin_again {{
    access_log off;
    return 303 $scheme://$http_host{protect};
}}
location @maejin_wait {{
    default_type application/problem+json;
    add_header X-Maejin-Gate $maejin_gate always;
    add_header Cache-Control no-store always;
    # A script cannot follow a redirect to a page.
    set $maejin_problem '{{"status":401,"code":"wait-required","title":"Turn required","waitUrl":"{wait}"}}';
    if ($http_x_requested_with = "XMLHttpRequest") {{ return 401 $maejin_problem; }}
    if ($http_sec_fetch_mode ~ "^(cors|no-cors|same-origin)$") {{ return 401 $maejin_problem; }}
    if ($http_accept ~ "^application/(problem\+)?json") {{ return 401 $maejin_problem; }}
    return 303 {wait};
}}
location @maejin_error {{
{error}}}
)";

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
location ~ ^/(wait/|events/|assets/|favicon\.svg$|api/v1/(rooms/|concerts/|time$)) {{
    proxy_pass {maejin};
    proxy_buffering off;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Host $http_host;
}}
)";

std::vector<std::string> ListOf(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const auto item = text.substr(0, text.find(','));
    if (!item.empty()) items.emplace_back(item);
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return items;
}

std::string AllowLines(std::string_view networks) {
  std::string lines;
  for (const auto& network : ListOf(networks)) lines += fmt::format("    allow {};\n", network);
  if (lines.empty()) return lines;
  return "    # Visitors from these networks do not wait.\n    satisfy any;\n" + lines + "    deny all;\n";
}

std::string ErrorLines(std::string_view on_error, std::string_view shop) {
  if (on_error == "admit")
    return fmt::format("    proxy_pass {};\n    proxy_set_header Host $http_host;\n", shop);
  return "    default_type text/plain;\n    add_header Retry-After 5 always;\n"
         "    return 503 \"Please try again in a moment.\\n\";\n";
}

void PrintNginx(const Invocation& invocation, const std::string& on_error) {
  const auto maejin = invocation.Text("maejin");
  const auto shop = invocation.Text("shop");
  const auto wait = invocation.Text("wait");
  fmt::print(fmt::runtime(kNginx), fmt::arg("maejin", maejin), fmt::arg("shop", shop),
             fmt::arg("room", invocation.Text("room")), fmt::arg("protect", invocation.Text("protect")),
             fmt::arg("wait", wait.empty() ? "$maejin_wait" : wait), fmt::arg("on_error", on_error),
             fmt::arg("headers", kNginxHeaders), fmt::arg("allow", AllowLines(invocation.Text("allow"))),
             fmt::arg("error", ErrorLines(on_error, shop)));
  for (const auto& path : ListOf(invocation.Text("exempt"))) {
    fmt::print(
        "# Not behind the gate.\nlocation {} {{\n    proxy_pass {};\n    proxy_set_header Host "
        "$http_host;\n}}\n",
        path, shop);
  }
  if (wait.empty()) fmt::print(fmt::runtime(kNginxPages), fmt::arg("maejin", maejin));
}

void Replace(std::string& text, std::string_view name, std::string_view value) {
  const auto mark = "{" + std::string(name) + "}";
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
}

void PrintExpress(const Invocation& invocation, const std::string& on_error) {
  std::string text(embedded::snippet_express);
  std::string exempt;
  for (const auto& path : ListOf(invocation.Text("exempt")))
    exempt += (exempt.empty() ? "'" : ", '") + path + "'";
  for (const auto* name : {"maejin", "wait", "room", "protect"}) Replace(text, name, invocation.Text(name));
  Replace(text, "exempt", "[" + exempt + "]");
  Replace(text, "on_error", on_error);
  fmt::print("{}", text);
}

}  // namespace

std::vector<VerbFlag> SnippetFlags() {
  return {
      {"maejin", "URL", "http://127.0.0.1:8080", "URL of maejin, as the shop's gateway reaches it"},
      {"shop", "URL", "http://127.0.0.1:3000", "URL of the shop"},
      {"room", "ROOM", "main", "Room whose admitted visitors may pass"},
      {"protect", "PATH", "/", "Path below which the shop is behind the gate"},
      {"exempt", "PATHS", "/robots.txt", "Paths below it that are not behind the gate, separated by commas"},
      {"allow", "NETWORKS", "", "Networks whose visitors do not wait, separated by commas"},
      {"on-gate-error", "admit|hold", "hold", "What visitors get while maejin does not answer"},
      {"wait", "URL", "", "Redirect target of other visitors (default: maejin's waiting page, /wait/ROOM)"}};
}

int RunSnippet(const Invocation& invocation) {
  const auto& kind = invocation.arguments.front();
  if (kind != "nginx" && kind != "express")
    return FailUsage(fmt::format("unknown snippet \"{}\"; there are nginx and express", kind));
  const auto on_error = invocation.Text("on-gate-error");
  if (on_error != "admit" && on_error != "hold")
    return FailUsage(fmt::format("--on-gate-error must be admit or hold, not \"{}\"", on_error));
  if (kind == "nginx") PrintNginx(invocation, on_error);
  if (kind == "express") PrintExpress(invocation, on_error);
  return kExitDone;
}

}  // namespace maejin::cli
