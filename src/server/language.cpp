#include "server/language.h"

#include <array>

#include "base/ascii.h"
#include "server/request_head.h"

namespace maejin::http {
namespace {

// The weight in thousandths; 1000 if there is none, 0 if it is malformed.
int WeightOf(std::string_view parameters) {
  const auto at = parameters.find("q=");
  if (at == std::string_view::npos) return 1000;
  const auto text = parameters.substr(at + 2, 5);
  if (text.empty()) return 0;
  if (text.front() == '1') return 1000;
  if (text.front() != '0') return 0;
  int weight = 0;
  int unit = 100;
  for (std::size_t i = 2; i < text.size() && IsDigit(text[i]); ++i, unit /= 10) {
    weight += (text[i] - '0') * unit;
  }
  return weight;
}

// Indexed by Language.
constexpr std::array<std::string_view, kLanguages> kTags = {"en", "ko", "ja", "zh-Hant"};

}  // namespace

std::string_view TagOf(Language language) { return kTags[static_cast<std::size_t>(language)]; }

std::optional<Language> FindLanguage(std::string_view tag) {
  for (std::size_t i = 0; i < kTags.size(); ++i) {
    if (kTags[i] == tag) return static_cast<Language>(i);
  }
  return {};
}

Language PreferredLanguage(std::string_view accept_language) {
  auto best = Language::kEnglish;
  int best_weight = 0;
  ForEachListed(accept_language, [&](std::string_view range) {
    const auto end = range.find_first_of("; \t");
    const auto tag = range.substr(0, end);
    const auto weight = WeightOf(end == std::string_view::npos ? std::string_view{} : range.substr(end));
    const auto primary = tag.substr(0, tag.find('-'));
    for (std::size_t i = 0; i < kTags.size(); ++i) {
      if (weight <= best_weight || !EqualIgnoringCase(primary, kTags[i].substr(0, 2))) continue;
      best = static_cast<Language>(i);
      best_weight = weight;
    }
    return true;
  });
  return best;
}

}  // namespace maejin::http
