#include "cli/snippet.h"

#include <cstdio>

#include <fmt/format.h>

namespace maejin::cli {
namespace {

// nginx keeps one meaning of a subrequest's answer: 2xx lets pass, 401 and 403 refuse, anything else is an
// error.
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
    # The pass comes in the cookie maejin_pass or the header X-Maejin-Pass; the queue token in maejin_token or X-Queue-Token.
    proxy_set_header X-Original-URI $request_uri;
    # Who the shop's visitor is, is not for the visitor to say.
    proxy_set_header X-User-Id "";
}}
location @maejin_wait {{
    add_header X-Maejin-Gate $maejin_gate always;
    return 302 {wait};
}}
)";

// Where fans wait on the shop's own host; with a host of maejin's own they leave it.
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
  return {{"maejin", "URL", "http://127.0.0.1:8080", "Where maejin listens, as the shop's gateway sees it"},
          {"shop", "URL", "http://127.0.0.1:3000", "Where the shop listens"},
          {"room", "ROOM", "main", "Whose fans may pass: the concert's id, or main"},
          {"wait", "URL", "", "Where everybody else is sent (default /events/ROOM, maejin's waiting page)"}};
}

int RunSnippet(const Invocation& invocation) {
  const auto& kind = invocation.arguments.front();
  if (kind != "nginx")
    return Misuse(fmt::format("there is no snippet for \"{}\"; there is one for nginx", kind));
  const auto maejin = invocation.Text("maejin");
  const auto room = invocation.Text("room");
  const auto wait = invocation.Has("wait") ? invocation.Text("wait") : "/events/" + room;
  fmt::print(fmt::runtime(kNginx), fmt::arg("maejin", maejin), fmt::arg("shop", invocation.Text("shop")),
             fmt::arg("room", room), fmt::arg("wait", wait));
  if (wait.starts_with('/')) fmt::print(fmt::runtime(kNginxPages), fmt::arg("maejin", maejin));
  return kExitDone;
}

}  // namespace maejin::cli
