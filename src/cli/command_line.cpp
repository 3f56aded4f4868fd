#include "cli/command_line.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/log.h"
#include "cli/verbs.h"
#include "config/config.h"
#include "config/nearest.h"
#include "config/options.h"

namespace maejin::cli {
namespace {

// The parse result of one verb, filled by CLI11.
struct Parsed {
  const Verb* verb = nullptr;
  CLI::App* app = nullptr;
  std::map<std::string, std::string> settings;
  std::map<std::string, std::string, std::less<>> flags;
  std::vector<std::string> arguments;
  std::string config_file;
  bool json = false;
};

// The help texts. The usage line has a positional without brackets if it is required.
class HelpFormatter : public CLI::Formatter {
 public:
  void AddPositional(const CLI::Option* option, const Positionals& positionals) {
    usages_[option] =
        positionals.least > 0 ? std::string(positionals.name) : fmt::format("[{}...]", positionals.name);
  }

  std::string make_option_usage(const CLI::Option* option) const override { return usages_.at(option); }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_positional() ? std::string() : Formatter::make_option_opts(option);
  }

 private:
  std::map<const CLI::Option*, std::string> usages_;
};

class CommandLine {
 public:
  CommandLine()
      : app_("maejin runs a concert on-sale: a fair line, seats, and the sold-out rankings.", "maejin") {
    app_.formatter(help_);
    app_.require_subcommand(1);
    app_.allow_extras();
    app_.set_version_flag("--version", MAEJIN_VERSION, "Print the version");
    app_.footer(
        "Precedence of settings: flag, MAEJIN_* variable, maejin.toml, default.\n"
        "`maejin config show` lists them; docs/configuration.md explains them.");
    for (const auto& verb : Verbs()) AddVerb(verb);
    for (const auto& [name, group] : groups_)
      group->description(fmt::format("One of: {}", fmt::join(ShownChildren(*group), ", ")));
  }

  int Run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::CallForHelp& help) {
      if (const auto wrong = UnknownVerb(arguments)) return FailCommandLine(*wrong);
      app_.exit(help);
      return kExitDone;
    } catch (const CLI::CallForVersion&) {
      return RunNamed("version", environment);
    } catch (const CLI::Error& error) {
      return FailCommandLine(Explanation(arguments, error.what()));
    }
    for (const auto& parsed : parsed_) {
      if (parsed->app->parsed()) return RunVerb(*parsed, environment);
    }
    return FailCommandLine(kNeedsVerb);
  }

 private:
  void AddVerb(const Verb& verb) {
    auto parsed = std::make_unique<Parsed>();
    parsed->verb = &verb;
    auto& app = *AddApp(verb);
    parsed->app = &app;
    app.allow_extras();
    if (verb.hidden) app.group("");
    if (verb.json) app.add_flag("--json", parsed->json, std::string(kJsonSentence));
    for (const auto& flag : verb.flags) AddFlag(app, flag, *parsed);
    const auto& positionals = verb.positionals;
    if (positionals.most > 0) {
      const auto* option =
          app.add_option(std::string(positionals.name), parsed->arguments, std::string(positionals.sentence));
      help_->AddPositional(option, positionals);
    }
    if (verb.needs != VerbNeeds::kNothing)
      AddSettings(app, *parsed);
    else
      app.footer("");  // it takes no settings
    parsed_.push_back(std::move(parsed));
  }

  // "config check" becomes a subcommand of "config".
  CLI::App* AddApp(const Verb& verb) {
    const std::string name(verb.name);
    const auto space = name.find(' ');
    if (space == std::string::npos) return app_.add_subcommand(name, std::string(verb.sentence));
    const auto group = name.substr(0, space);
    auto& parent = groups_[group];
    if (parent == nullptr) {
      parent = app_.add_subcommand(group);
      parent->require_subcommand(1);
      parent->allow_extras();
    }
    return parent->add_subcommand(name.substr(space + 1), std::string(verb.sentence));
  }

  static void AddFlag(CLI::App& app, const VerbFlag& flag, Parsed& parsed) {
    const std::string name(flag.name);
    const auto flag_name = "--" + name;
    if (flag.argument.empty()) {
      app.add_flag_callback(
          flag_name, [&parsed, name] { parsed.flags[name] = "true"; }, std::string(flag.sentence));
      return;
    }
    const auto sentence = flag.fallback.empty()
                              ? std::string(flag.sentence)
                              : fmt::format("{} (default {})", flag.sentence, flag.fallback);
    app.add_option_function<std::string>(
           flag_name, [&parsed, name](const std::string& value) { parsed.flags[name] = value; }, sentence)
        ->type_name(std::string(flag.argument));
  }

  static void AddSettings(CLI::App& app, Parsed& parsed) {
    app.add_option("--config", parsed.config_file,
                   "TOML file with settings (default: $MAEJIN_CONFIG, else ./maejin.toml)")
        ->type_name("FILE")
        ->group("Settings");
    for (const auto& option : config::Options()) {
      const std::string name(option.name);
      app.add_option_function<std::string>(
             config::FlagOf(option),
             [&parsed, name](const std::string& value) { parsed.settings[name] = value; },
             std::string(option.sentence))
          ->type_name(config::ArgumentOf(option))
          ->group("Settings");
    }
  }

  static std::vector<std::string> ShownChildren(const CLI::App& parent) {
    std::vector<std::string> names;
    for (const auto* child : parent.get_subcommands({})) {
      if (!child->get_group().empty()) names.push_back(child->get_name());
    }
    return names;
  }

  static int FailCommandLine(const std::string& what) { return FailUsage(what + "\nTry maejin --help."); }
  static int FailVerbUsage(const Parsed& parsed, const std::string& what) {
    return FailUsage(fmt::format("{} {}\nTry maejin {} --help.", parsed.verb->name, what, parsed.verb->name));
  }

  // An error that names the first unknown verb and the nearest known one; absent if all verbs are known.
  std::optional<std::string> UnknownVerb(const std::vector<std::string>& arguments) const {
    const CLI::App* app = &app_;
    std::string words;
    for (const auto& word : arguments) {
      const auto children = app->get_subcommands({});
      if (word.starts_with('-') || children.empty()) return {};
      words += words.empty() ? word : " " + word;
      const auto child = std::find_if(children.begin(), children.end(),
                                      [&](const CLI::App* each) { return each->get_name() == word; });
      if (child == children.end())
        return fmt::format("unknown verb {}.{}", words, config::DidYouMean(word, ShownChildren(*app)));
      app = *child;
    }
    return {};
  }

  std::string Explanation(const std::vector<std::string>& arguments, const std::string& what) const {
    if (std::ranges::all_of(arguments, [](const auto& word) { return word.starts_with('-'); }))
      return kNeedsVerb;
    if (auto unknown = UnknownVerb(arguments)) return *std::move(unknown);
    const auto group = arguments.empty() ? groups_.end() : groups_.find(arguments[0]);
    // UnknownVerb() accepted a second word: the verb is known, and `what` is about its flags.
    const bool named = arguments.size() > 1 && !arguments[1].starts_with('-');
    if (group == groups_.end() || named) return what;
    return fmt::format("{} needs one of: {}", arguments[0], fmt::join(ShownChildren(*group->second), ", "));
  }

  static int RefuseExtra(const Parsed& parsed, const std::string& extra) {
    std::vector<std::string> flags{"--help"};
    for (const auto* option : parsed.app->get_options()) flags.push_back("--" + option->get_single_name());
    const auto name = extra.substr(0, extra.find('='));
    return FailVerbUsage(parsed, fmt::format("does not take {}.{}", name, config::DidYouMean(name, flags)));
  }

  int RunNamed(std::string_view name, const std::vector<std::string>& environment) {
    for (const auto& parsed : parsed_) {
      if (parsed->verb->name == name) return RunVerb(*parsed, environment);
    }
    return kExitUsage;
  }

  static int RefuseConfig(const config::ConfigErrors& errors) {
    for (const auto& error : errors) std::fputs(fmt::format("maejin: {}\n", error).c_str(), stderr);
    return kExitUsage;
  }

  int RunVerb(const Parsed& parsed, const std::vector<std::string>& environment) {
    for (const auto& extra : app_.remaining(true)) return RefuseExtra(parsed, extra);
    const auto& positionals = parsed.verb->positionals;
    const auto given = parsed.arguments.size();
    if (given < positionals.least) return FailVerbUsage(parsed, fmt::format("needs {}.", positionals.name));
    if (given > positionals.most)
      return FailVerbUsage(parsed,
                           fmt::format("takes {} {}, not {}.", positionals.most, positionals.name, given));
    Invocation invocation;
    invocation.flags = parsed.flags;
    for (const auto& flag : parsed.verb->flags) {
      if (!flag.fallback.empty()) invocation.flags.try_emplace(std::string(flag.name), flag.fallback);
    }
    invocation.arguments = parsed.arguments;
    invocation.json = parsed.json;
    if (parsed.verb->needs != VerbNeeds::kNothing) {
      config::ConfigSources sources;
      sources.flags = parsed.settings;
      sources.environment = environment;
      if (!parsed.config_file.empty()) sources.file = parsed.config_file;
      auto settings = config::ReadSettings(sources);
      if (!settings) return RefuseConfig(settings.error());
      invocation.settings = std::move(*settings);
      invocation.reread = [sources]() -> Result<config::Config, config::ConfigErrors> {
        const auto fresh = config::ReadSettings(sources);
        if (!fresh) return fresh.error();
        return config::MakeConfig(*fresh);
      };
    }
    const auto needs = parsed.verb->needs;
    if (needs == VerbNeeds::kConfig || needs == VerbNeeds::kDatabase) {
      const auto use =
          needs == VerbNeeds::kConfig ? config::ConfigUse::kServer : config::ConfigUse::kDatabase;
      auto config = config::MakeConfig(invocation.settings, use);
      if (!config) return RefuseConfig(config.error());
      invocation.config = std::move(*config);
      SetLogLevel(invocation.config.log_level);
      SetLogFormat(invocation.config.log_format);
    }
    return parsed.verb->run(invocation);
  }

  static constexpr auto kNeedsVerb = "maejin needs a verb, such as serve or demo.";

  const std::shared_ptr<HelpFormatter> help_ = std::make_shared<HelpFormatter>();
  CLI::App app_;
  std::map<std::string, CLI::App*> groups_;
  std::vector<std::unique_ptr<Parsed>> parsed_;
};

}  // namespace

int RunCommandLine(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  return CommandLine().Run(arguments, environment);
}

int RunHelp(const Invocation& invocation) {
  auto arguments = invocation.arguments;
  arguments.emplace_back("--help");
  return RunCommandLine(arguments, {});
}

}  // namespace maejin::cli
