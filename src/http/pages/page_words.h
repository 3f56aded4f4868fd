// Words that the server itself puts into pages; all other words are in web/src/text.
#pragma once

#include <string>
#include <string_view>

#include "domain/words.h"
#include "server/language.h"

namespace maejin::http {

struct PageWords {
  std::string_view help;
  std::string_view terms;
  std::string_view won;   // "{}" is the amount
  std::string_view from;  // "{}" is the lowest price
  std::string_view calculating;
  std::string_view minutes;     // "{}" is a number or a range
  std::string_view seats_left;  // "{}" is a number
  std::string_view to_pay;      // this, `ticket` and `cancelled`: states of a booking
  std::string_view ticket;
  std::string_view cancelled;
  std::string_view postponed;     // "{}" are the old and the new date
  std::string_view presented_by;  // "{}" is the organiser
  std::string_view open_graph;
};
const PageWords& WordsIn(Language language);

// "₩99,000", "99,000원".
std::string MoneyText(Money amount, Language language);

}  // namespace maejin::http
