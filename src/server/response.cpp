#include "server/response.h"

#include <cstdlib>

namespace maejin::http {
namespace {

// Bodies with more capacity than this are freed, so that one large response does not occupy memory for ever.
constexpr std::size_t kKeptCapacity = 64 * 1024;

}  // namespace

void Response::AddHeader(std::string_view name, std::string_view value) {
  const bool breaks =
      value.find('\r') != std::string_view::npos || value.find('\n') != std::string_view::npos;
  if (breaks) std::abort();
  extra_headers.append(name).append(": ").append(value).append("\r\n");
}

void Response::Clear() {
  status = 200;
  content_type = "application/json";
  cache = kNeverCached;
  close = false;
  copies = 1;
  refusal.reset();
  extra_headers.clear();
  shared_body.reset();
  if (body.capacity() > kKeptCapacity) std::string().swap(body);
  body.clear();
}

}  // namespace maejin::http
