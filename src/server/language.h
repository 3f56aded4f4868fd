// The language of an answer: English, Korean, Japanese, or Chinese in traditional characters.
#pragma once

#include <optional>
#include <string_view>

#include "server/request.h"

namespace maejin::http {

// By Accept-Language (RFC 9110, 12.5.4): the highest weight, then the first. Regions and scripts do not
// count, so every Chinese reader gets traditional characters. English if the header names none of the four.
Language PreferredLanguage(std::string_view accept_language);

// "en", "ko", "ja", "zh-Hant": as in HTML's `lang`.
std::string_view TagOf(Language language);
// Absent where `tag` is none of them.
std::optional<Language> FindLanguage(std::string_view tag);

}  // namespace maejin::http
