// Serialises responses: status line and headers, formatted by hand into a reused buffer.
#pragma once

#include <string>
#include <string_view>

#include "server/response.h"

namespace maejin::http {

// The reason phrase of a status this program sends.
std::string_view Reason(int status);

// "Date: Sun, 15 Nov 2026 10:00:00 GMT\r\n" of a moment in seconds since 1970.
std::string FormatDateLine(std::int64_t epoch_seconds);

// The whole answer that asks a client for the body it announced.
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

struct AnswerForm {
  bool head_only = false;  // HEAD: everything but the body
  bool http10 = false;
  bool keep_alive = true;
  std::string_view date_line;
};

// Whether the answer has a body: not for HEAD, and not with 204 or 304.
bool HasBody(const Response& response, const AnswerForm& form);

// Appends the whole answer to `out`.
void AppendAnswer(const Response& response, const AnswerForm& form, std::string& out);

}  // namespace maejin::http
