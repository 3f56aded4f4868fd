// The language of an answer: English, Korean, Japanese, or Chinese in traditional characters.
#pragma once

#include <optional>
#include <string_view>

#include "server/request.h"

namespace maejin::http {

// The language with the highest weight in Accept-Language (RFC 9110, 12.5.4); of equal weights, the first.
// Regions and scripts are ignored, so every Chinese reader gets traditional characters. English if the header
// names none of the four.
Language PreferredLanguage(std::string_view accept_language);

// "en", "ko", "ja", "zh-Hant": as in HTML's `lang`.
std::string_view TagOf(Language language);
// Absent: `tag` is none of these four.
std::optional<Language> FindLanguage(std::string_view tag);

}  // namespace maejin::http
