#include "server/response_head.h"

#include <ctime>

#include "base/draft.h"

namespace maejin::http {
namespace {

bool HasNoBody(int status) { return status == 204 || status == 304; }

// Appends Content-Type and Cache-Control. Most responses use the first branch, which is one constant.
void AddKind(const Response& response, Draft& out) {
  const bool has_body = !HasNoBody(response.status);
  if (has_body && response.cache == kNeverCached && response.content_type == "application/json") {
    out << "Content-Type: application/json\r\nCache-Control: no-store\r\n";
    return;
  }
  if (has_body) out << "Content-Type: " << response.content_type << "\r\n";
  out << "Cache-Control: " << response.cache << "\r\n";
}

}  // namespace

std::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

std::string FormatDateLine(std::int64_t epoch_seconds) {
  const auto time = static_cast<std::time_t>(epoch_seconds);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[64];
  const auto size = std::strftime(text, sizeof text, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
  return {text, size};
}

bool HasBody(const Response& response, const AnswerForm& form) {
  return !HasNoBody(response.status) && !form.head_only;
}

void AppendAnswer(const Response& response, const AnswerForm& form, std::string& text) {
  const auto body = response.Body();
  const bool no_body = HasNoBody(response.status);
  Draft out(text);
  out << "HTTP/1.1 " << std::int64_t{response.status} << " " << Reason(response.status) << "\r\n";
  out << form.date_line;
  AddKind(response, out);
  if (!no_body) out << "Content-Length: " << static_cast<std::int64_t>(body.size()) << "\r\n";
  out << response.extra_headers;
  if (!form.keep_alive) {
    out << "Connection: close\r\n";
  } else if (form.http10) {
    out << "Connection: keep-alive\r\n";
  }
  out << "\r\n";
  if (!no_body && !form.head_only) out.Flush() += body;
}

}  // namespace maejin::http
