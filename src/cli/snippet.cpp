#include "cli/snippet.h"

#include <cstdio>

#include <fmt/format.h>

namespace maejin::cli {
namespace {

// nginx treats the answer of an auth subrequest as follows: 2xx allows, 401 and 403 refuse, others are
// errors.
constexpr std::string_view kNginx =
    R"(# In the server block of the shop. maejin listens on {maejin}, the shop on {shop}.
location / {{
    auth_request /_maejin_gate;
    auth_request_set $maejin_gate $upstream_http_x_maejin_gate;
    error_page 401 403 = @maejin_wait;
    proxy_pass {shop};
    proxy_set_header Host $host;
}}
location = /_maejin_gate {{
    internal;
    proxy_pass {maejin}/gate?room={room};
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
    # Pass: cookie maejin_pass or header X-Maejin-Pass.
    # Queue token: cookie maejin_token or header X-Queue-Token.
    proxy_set_header X-Original-URI $request_uri;
    # A visitor must not choose its own user id.
    proxy_set_header X-User-Id "";
}}
location @maejin_wait {{
    add_header X-Maejin-Gate $maejin_gate always;
    return 302 {wait};
}}
)";

// Added if fans wait on the shop's own host (--wait is a path), not on another host.
constexpr std::string_view kNginxPages = R"(# maejin's waiting page.
location ~ ^/(events/|assets/|api/v1/(rooms/|concerts/|time$)) {{
    proxy_pass {maejin};
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_buffering off;
}}
)";

}  // namespace

std::vector<VerbFlag> SnippetFlags() {
  return {{"maejin", "URL", "http://127.0.0.1:8080", "URL of maejin, as the shop's gateway reaches it"},
          {"shop", "URL", "http://127.0.0.1:3000", "URL of the shop"},
          {"room", "ROOM", "main", "Room whose admitted fans may pass: a concert's id, or main"},
          {"wait", "URL", "",
           "Redirect target for other visitors (default /events/ROOM, maejin's waiting page)"}};
}

int RunSnippet(const Invocation& invocation) {
  const auto& kind = invocation.arguments.front();
  if (kind != "nginx") return FailUsage(fmt::format("unknown snippet \"{}\"; the only one is nginx", kind));
  const auto maejin = invocation.Text("maejin");
  const auto room = invocation.Text("room");
  const auto wait = invocation.Has("wait") ? invocation.Text("wait") : "/events/" + room;
  fmt::print(fmt::runtime(kNginx), fmt::arg("maejin", maejin), fmt::arg("shop", invocation.Text("shop")),
             fmt::arg("room", room), fmt::arg("wait", wait));
  if (wait.starts_with('/')) fmt::print(fmt::runtime(kNginxPages), fmt::arg("maejin", maejin));
  return kExitDone;
}

}  // namespace maejin::cli
