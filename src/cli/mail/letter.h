// A mail as text: a template with its placeholders replaced, as a message of RFC 5322.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace maejin::cli {

// {name} in a template becomes the value of `name`.
using LetterFields = std::map<std::string, std::string, std::less<>>;

struct LetterHeaders {
  std::string from;         // an address
  std::string sender_name;  // shown beside the address; may be empty
  std::string to;
  std::string message_id;  // without angle brackets
  Time date{};
};

// The template of `kind` ("confirmed") in a language ("ko", "en"): the subject in the first text line, then
// an empty one, then the text. Absent: there is none.
std::optional<std::string_view> FindTemplate(std::string_view kind, std::string_view language);

// Replaces placeholders. An unknown one stays as it is.
std::string FillTemplate(std::string_view text, const LetterFields& fields);

// The message, ready for SMTP. The text is UTF-8. Control characters in the subject become blanks.
std::string MakeMessage(const LetterHeaders& headers, std::string_view filled);

}  // namespace maejin::cli
