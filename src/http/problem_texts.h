// The texts of all refusals, in the languages of the pages.
#pragma once

#include <string_view>

#include "server/language.h"
#include "server/problem_writer.h"

namespace maejin::http {

struct ProblemText {
  int status = 0;
  std::string_view code;
  std::string_view title_en;
  std::string_view detail_en;
  std::string_view detail_ko;
  std::string_view detail_ja;
  std::string_view detail_zh;

  constexpr std::string_view DetailIn(Language language) const {
    switch (language) {
      case Language::kKorean:
        return detail_ko;
      case Language::kJapanese:
        return detail_ja;
      case Language::kChinese:
        return detail_zh;
      default:
        return detail_en;
    }
  }
};

const ProblemText& TextOf(Refusal refusal);
const ProblemText& TextOf(ServerProblem problem);
// The texts of a `code`. Absent for an unknown code.
const ProblemText* FindProblem(std::string_view code);

}  // namespace maejin::http
