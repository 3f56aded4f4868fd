#include "cli/manual.h"

#include <cstdio>
#include <set>

#include <fmt/format.h>

#include "cli/verbs.h"
#include "config/options.h"

namespace maejin::cli {
namespace {

std::vector<std::string> FlagsOf(const Verb& verb) {
  std::vector<std::string> flags{"--help"};
  if (verb.json) flags.emplace_back("--json");
  for (const auto& flag : verb.flags) flags.push_back("--" + std::string(flag.name));
  if (verb.needs != VerbNeeds::kNothing) {
    flags.emplace_back("--config");
    for (const auto& option : config::Options()) flags.push_back(config::FlagOf(option));
  }
  return flags;
}

// The second words of the verbs that start with `first`; all first words if `first` is empty.
std::vector<std::string> WordsAfter(std::string_view first) {
  std::set<std::string> words;
  for (const auto& verb : Verbs()) {
    if (verb.hidden) continue;
    const auto space = std::min(verb.name.find(' '), verb.name.size());
    if (first.empty()) {
      words.emplace(verb.name.substr(0, space));
    } else if (verb.name.substr(0, space) == first && space < verb.name.size()) {
      words.emplace(verb.name.substr(space + 1));
    }
  }
  return {words.begin(), words.end()};
}

// The cases of a shell's `case`: the words that may follow the verb so far.
std::string CompletionCases() {
  std::string cases;
  for (const auto& first : WordsAfter("")) {
    const auto second = WordsAfter(first);
    if (!second.empty()) cases += fmt::format("    {}) choices=\"{}\" ;;\n", first, fmt::join(second, " "));
  }
  for (const auto& verb : Verbs()) {
    if (!verb.hidden)
      cases += fmt::format("    '{}') choices=\"{}\" ;;\n", verb.name, fmt::join(FlagsOf(verb), " "));
  }
  return fmt::format("    '') choices=\"{} --help --version\" ;;\n", fmt::join(WordsAfter(""), " ")) + cases;
}

std::string BashCompletions() {
  return fmt::format(
      "# maejin completions for bash\n"
      "_maejin() {{\n"
      "  local i verb= choices=\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    [[ ${{COMP_WORDS[i]}} == -* ]] && break\n"
      "    verb=\"${{verb:+$verb }}${{COMP_WORDS[i]}}\"\n"
      "  done\n"
      "  case \"$verb\" in\n"
      "{}"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$choices\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
      "  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
      "}}\n"
      "complete -F _maejin maejin\n",
      CompletionCases());
}

std::string ZshCompletions() {
  return fmt::format(
      "#compdef maejin\n"
      "local i verb= choices=\n"
      "for ((i = 2; i < CURRENT; i++)); do\n"
      "  [[ ${{words[i]}} == -* ]] && break\n"
      "  verb=\"${{verb:+$verb }}${{words[i]}}\"\n"
      "done\n"
      "case \"$verb\" in\n"
      "{}"
      "esac\n"
      "compadd -- ${{=choices}} || _files\n",
      CompletionCases());
}

std::string FishCompletions() {
  std::string out = "# maejin completions for fish\n";
  for (const auto& verb : Verbs()) {
    if (verb.hidden || verb.name.find(' ') != std::string_view::npos) continue;
    out += fmt::format("complete -c maejin -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.name,
                       verb.sentence);
    for (const auto& flag : FlagsOf(verb)) {
      out += fmt::format("complete -c maejin -n '__fish_seen_subcommand_from {}' -l {}\n", verb.name,
                         flag.substr(2));
    }
  }
  return out;
}

std::string Troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    if (c != '`') out += c;
  }
  return out;
}

std::string ManPage() {
  std::string out = ".TH MAEJIN 1 \"\" \"maejin " MAEJIN_VERSION
                    "\"\n.SH NAME\nmaejin \\- run a concert on\\-sale\n"
                    ".SH SYNOPSIS\n.B maejin\n.I VERB\n[flags]\n.SH VERBS\n";
  for (const auto& verb : Verbs()) {
    if (verb.hidden) continue;
    out += fmt::format(".TP\n.B {} {}\n{}.\n", Troff(verb.name), Troff(verb.positionals.name),
                       Troff(verb.sentence));
    if (verb.json) out += fmt::format(".RS\n.TP\n.B \\-\\-json\n{}.\n.RE\n", kJsonSentence);
    for (const auto& flag : verb.flags) {
      const auto fallback =
          flag.fallback.empty() ? std::string() : fmt::format(" (default: {})", Troff(flag.fallback));
      out += fmt::format(".RS\n.TP\n.B \\-\\-{} {}\n{}{}.\n.RE\n", Troff(flag.name), flag.argument,
                         Troff(flag.sentence), fallback);
    }
  }
  out +=
      ".SH SETTINGS\nA flag overrides its environment variable, which overrides maejin.toml, which overrides "
      "the default. The parentheses have the key in maejin.toml, the variable and the default.\n";
  for (const auto& option : config::Options()) {
    out += fmt::format(".TP\n.B {}\n{} ({}; {}; default: {})\n", Troff(config::FlagOf(option)),
                       Troff(option.sentence), Troff(option.name), config::EnvironmentOf(option),
                       option.fallback.empty() ? "none" : Troff(option.fallback));
  }
  return out +
         ".SH EXIT STATUS\n0 success, 1 error, 2 invalid command line or configuration. rehearse also has 3 "
         "(an "
         "invariant is broken) and 4 (not sold out).\n";
}

}  // namespace

int RunCompletions(const Invocation& invocation) {
  const auto& shell = invocation.arguments.front();
  if (shell != "bash" && shell != "zsh" && shell != "fish")
    return FailUsage("completions are for bash, zsh or fish");
  const auto text = shell == "fish"  ? FishCompletions()
                    : shell == "zsh" ? ZshCompletions()
                                     : BashCompletions();
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

int RunMan(const Invocation&) {
  std::fputs(ManPage().c_str(), stdout);
  return kExitDone;
}

}  // namespace maejin::cli
