#include "cli/config_verbs.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "config/options.h"

namespace maejin::cli {
namespace {

std::string AsJson(const Invocation& invocation, bool origin) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    for (const auto& option : config::Options()) {
      const auto& setting = invocation.settings.find(option.name)->second;
      json.Object(option.name, [&] {
        json.Field("value", config::Shown(option.name, setting));
        if (origin) json.Field("origin", setting.origin);
      });
    }
  });
  return out + '\n';
}

std::string AsText(const Invocation& invocation, bool origin) {
  std::string out;
  for (const auto& option : config::Options()) {
    const auto& setting = invocation.settings.find(option.name)->second;
    const auto value = fmt::format("\"{}\"", config::Shown(option.name, setting));
    out += origin ? fmt::format("{:<30} {:<28} # {}\n", option.name, value, setting.origin)
                  : fmt::format("{:<30} {}\n", option.name, value);
  }
  return out;
}

}  // namespace

int RunConfigCheck(const Invocation& invocation) {
  std::puts(invocation.json ? "{\"ok\":true}" : "maejin: the configuration is valid");
  return kExitDone;
}

int RunConfigShow(const Invocation& invocation) {
  const bool origin = invocation.Has("origin");
  std::fputs((invocation.json ? AsJson(invocation, origin) : AsText(invocation, origin)).c_str(), stdout);
  return kExitDone;
}

int RunConfigTable(const Invocation&) {
  std::fputs(config::OptionsAsMarkdown().c_str(), stdout);
  return kExitDone;
}

}  // namespace maejin::cli
