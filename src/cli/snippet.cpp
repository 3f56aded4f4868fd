#include "cli/snippet.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "cli/snippet_rules.h"
#include "domain/waiting_room/return_url.h"
#include "embedded/snippet_apache_conf.h"
#include "embedded/snippet_apache_lua.h"
#include "embedded/snippet_caddyfile.h"
#include "embedded/snippet_envoy_yaml.h"
#include "embedded/snippet_express_mjs.h"
#include "embedded/snippet_haproxy_cfg.h"
#include "embedded/snippet_haproxy_lua.h"
#include "embedded/snippet_maejin_filter_java.h"
#include "embedded/snippet_maejin_gate_java.h"
#include "embedded/snippet_nginx_conf.h"
#include "embedded/snippet_njs_conf.h"
#include "embedded/snippet_njs_js.h"
#include "embedded/snippet_rules_lua.h"
#include "embedded/snippet_traefik_yaml.h"
#include "embedded/snippet_worker_mjs.h"

namespace maejin::cli {
namespace {

struct SnippetFile {
  std::string_view kind;
  std::string_view name;  // as the other files of the kind call it
  std::string_view text;
};

// The first file of a kind is the one that `maejin snippet KIND` prints.
const auto kFiles = std::to_array<SnippetFile>({
    {"nginx", "maejin.conf", embedded::snippet_nginx_conf},
    {"njs", "maejin.conf", embedded::snippet_njs_conf},
    {"njs", "maejin.js", embedded::snippet_njs_js},
    {"caddy", "Caddyfile", embedded::snippet_caddyfile},
    {"traefik", "maejin.yaml", embedded::snippet_traefik_yaml},
    {"haproxy", "haproxy.cfg", embedded::snippet_haproxy_cfg},
    {"haproxy", "maejin.lua", embedded::snippet_haproxy_lua},
    {"apache", "maejin.conf", embedded::snippet_apache_conf},
    {"apache", "maejin.lua", embedded::snippet_apache_lua},
    {"envoy", "envoy.yaml", embedded::snippet_envoy_yaml},
    {"spring", "MaejinFilter.java", embedded::snippet_maejin_filter_java},
    {"spring", "MaejinGate.java", embedded::snippet_maejin_gate_java},
    {"express", "maejin.mjs", embedded::snippet_express_mjs},
    {"worker", "maejin.mjs", embedded::snippet_worker_mjs},
});

constexpr std::string_view kPlainText = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool HasOnly(std::string_view text, std::string_view others) {
  return text.find_first_not_of(std::string(kPlainText).append(others)) == std::string_view::npos;
}

// What is wrong with the flags; empty: nothing. They are checked because values are printed without escaping.
std::string FaultOf(const Invocation& invocation) {
  if (invocation.Text("on-gate-error").empty())
    return "--on-gate-error is missing: admit (fails open) or hold (fails closed) must be chosen";
  const auto on_error = invocation.Text("on-gate-error");
  if (on_error != "admit" && on_error != "hold")
    return fmt::format("--on-gate-error must be admit or hold, not \"{}\"", on_error);
  for (const auto* name : {"maejin", "shop", "public-url", "wait"}) {
    const auto url = invocation.Text(name);
    const auto parsed = ParseWebUrl(url);
    const bool may_be_empty = name != std::string_view("maejin") && name != std::string_view("shop");
    if ((url.empty() && may_be_empty) || (parsed && HasOnly(url, ":/.-_~?&=%[]"))) continue;
    return fmt::format("--{} must be an http or https URL, not \"{}\"", name, url);
  }
  for (const auto* name : {"protect", "exempt"}) {
    for (const auto& path : ListOf(invocation.Text(name))) {
      if (!path.starts_with('/') || !HasOnly(path, "/.-_~"))
        return fmt::format("--{} must be a path with plain characters, not \"{}\"", name, path);
    }
  }
  if (!HasOnly(invocation.Text("room"), "-")) return "--room must be the id of a room";
  if (!HasOnly(invocation.Text("exempt-methods"), ",")) return "--exempt-methods must be names of methods";
  if (!HasOnly(invocation.Text("allow"), ",.:/")) return "--allow must be networks, as 10.0.0.0/8";
  if (!HasOnly(invocation.Text("crawlers"), ", ._-/")) return "--crawlers must be plain words";
  const auto listen = invocation.Text("listen");
  if (!HasOnly(listen, ".:") || std::ranges::count(listen, ':') != 1) return "--listen must be HOST:PORT";
  return {};
}

std::string Kinds() {
  std::string names;
  for (const auto& file : kFiles) {
    if (names.ends_with(file.kind)) continue;
    names.append(names.empty() ? "" : ", ").append(file.kind);
  }
  return names;
}

SnippetRules RulesOf(const Invocation& invocation) {
  SnippetRules rules;
  rules.maejin = invocation.Text("maejin");
  rules.shop = invocation.Text("shop");
  for (auto* url : {&rules.maejin, &rules.shop}) {
    while (url->ends_with('/')) url->pop_back();
  }
  rules.room = invocation.Text("room");
  rules.listen = invocation.Text("listen");
  rules.public_url = invocation.Text("public-url");
  rules.wait = invocation.Text("wait");
  rules.protect = invocation.Text("protect");
  rules.exempt = ListOf(invocation.Text("exempt"));
  rules.methods = ListOf(invocation.Text("exempt-methods"));
  rules.networks = ListOf(invocation.Text("allow"));
  rules.crawlers = ListOf(invocation.Text("crawlers"));
  rules.admits_on_error = invocation.Text("on-gate-error") == "admit";
  return rules;
}

}  // namespace

std::vector<VerbFlag> SnippetFlags() {
  return {
      {"on-gate-error", "admit|hold", "", "What visitors get while maejin does not answer; must be chosen"},
      {"maejin", "URL", "http://127.0.0.1:8080", "URL of maejin, as the shop's gateway reaches it"},
      {"shop", "URL", "http://127.0.0.1:3000", "URL of the shop"},
      {"room", "ROOM", "main", "Room whose admitted visitors may pass"},
      {"listen", "ADDRESS", "0.0.0.0:80",
       "Address of the gateway (njs, caddy, haproxy, apache, envoy write it)"},
      {"protect", "PATH", "/", "Path below which the shop is behind the gate"},
      {"exempt", "PATHS", "/robots.txt", "Paths below it that are not behind the gate, separated by commas"},
      {"exempt-methods", "METHODS", "OPTIONS", "Methods that are not behind the gate, separated by commas"},
      {"allow", "NETWORKS", "", "Networks whose visitors do not wait, separated by commas"},
      {"crawlers", "WORDS", "",
       "Parts of a User-Agent that does not wait, separated by commas; a visitor can forge it"},
      {"public-url", "URL", "",
       "maejin's address as browsers see it (default: the shop's host, whose gateway then serves the page)"},
      {"wait", "URL", "", "nginx: redirect target of other visitors (default: maejin's waiting page)"}};
}

int RunSnippet(const Invocation& invocation) {
  const auto& kind = invocation.arguments.front();
  const auto file = std::ranges::find_if(kFiles, [&](const SnippetFile& each) {
    return each.kind == kind && (invocation.arguments.size() == 1 || each.name == invocation.arguments[1]);
  });
  if (file == kFiles.end() && invocation.arguments.size() > 1)
    return FailUsage(fmt::format("the snippet {} has no file \"{}\"", kind, invocation.arguments[1]));
  if (file == kFiles.end())
    return FailUsage(fmt::format("unknown snippet \"{}\"; there are {}", kind, Kinds()));
  if (const auto fault = FaultOf(invocation); !fault.empty()) return FailUsage(fault);
  const auto rules = RulesOf(invocation);
  if (kind == "traefik" && rules.admits_on_error)
    return FailUsage("Traefik refuses every visitor while maejin does not answer: --on-gate-error hold");
  if (kind == "envoy" && !rules.networks.empty())
    return FailUsage("--allow: no route of Envoy matches by the visitor's address; use the other rules");
  fmt::print("{}", FillSnippet(file->text, rules, kind, embedded::snippet_rules_lua));
  return kExitDone;
}

}  // namespace maejin::cli
