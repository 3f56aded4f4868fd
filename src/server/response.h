// The response to one request. The object is reused, and its strings keep their capacity: in a steady state
// nothing is allocated.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/refusal.h"
#include "server/shared_text.h"

namespace maejin::http {

inline constexpr std::string_view kNeverCached = "no-store";
// For answers that are the same for every client, and valid for a second.
inline constexpr std::string_view kShortly = "public, max-age=1";

struct Response {
  int status = 200;
  std::string_view content_type = "application/json";  // static lifetime
  std::string body;
  // Where set, sent instead of `body`: a cached answer is shared, not copied.
  SharedText shared_body;
  // Cache-Control, static lifetime. Answers are personal unless their route says otherwise.
  std::string_view cache = kNeverCached;
  std::string extra_headers;  // whole lines, "Name: value\r\n"
  // Close the connection after this answer.
  bool close = false;
  // How many times the response is sent. 0: never, and the connection ends. Only test servers that simulate
  // faults change it.
  int copies = 1;
  // The refusal, for the metrics.
  std::optional<Refusal> refusal = {};

  // A CR or LF in `value` is a bug and aborts the program. Callers must check a value that comes from a
  // client.
  void AddHeader(std::string_view name, std::string_view value);
  void Clear();
  std::string_view Body() const { return shared_body ? std::string_view(*shared_body) : body; }
};

}  // namespace maejin::http
