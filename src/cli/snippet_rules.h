// The rules of a connector, written in the language of its gateway.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace maejin::cli {

struct SnippetRules {
  std::string maejin;  // URLs, without a slash at the end
  std::string shop;
  std::string room;
  std::string listen;      // host:port
  std::string public_url;  // empty: the gateway also serves maejin's waiting page
  std::string wait;        // nginx only: URL of another waiting page; empty: maejin's
  std::string protect;
  std::vector<std::string> exempt;
  std::vector<std::string> methods;
  std::vector<std::string> networks;
  std::vector<std::string> crawlers;
  bool admits_on_error = false;
};

// The items of a text with commas between them; empty ones are left out.
std::vector<std::string> ListOf(std::string_view text);

// The template of a kind with its {placeholders} filled in. `lua_rules` is the text of rules.lua.
std::string FillSnippet(std::string_view text, const SnippetRules& rules, std::string_view kind,
                        std::string_view lua_rules);

}  // namespace maejin::cli
