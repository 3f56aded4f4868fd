#include "server/language.h"

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
  for (std::size_t i = 2; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, unit /= 10) {
    weight += (text[i] - '0') * unit;
  }
  return weight;
}

}  // namespace

Language PreferredLanguage(std::string_view accept_language) {
  int korean = 0;
  int english = 0;
  ForEachListed(accept_language, [&](std::string_view range) {
    const auto end = range.find_first_of("; \t");
    const auto tag = range.substr(0, end);
    const auto weight = WeightOf(end == std::string_view::npos ? std::string_view{} : range.substr(end));
    const auto primary = tag.substr(0, tag.find('-'));
    // Of two equal weights, the language named first is chosen.
    if (EqualIgnoringCase(primary, "ko") && weight > english) korean = std::max(korean, weight);
    if (EqualIgnoringCase(primary, "en") && weight > korean) english = std::max(english, weight);
    return true;
  });
  return korean > english ? Language::kKorean : Language::kEnglish;
}

}  // namespace maejin::http
