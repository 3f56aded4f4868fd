// The answer to one request. The object belongs to the connection and is used again: its strings keep their
// capacity, so that a steady state allocates nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/refusal.h"
#include "server/shared_text.h"

namespace maejin::http {

inline constexpr std::string_view kNeverCached = "no-store";
// The same for everybody, and as good as new for a second.
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
  // How often the answer is sent. 0: never, and the connection ends; more than 1: as no sane server does. For a server that
  // others are tested against.
  int copies = 1;
  // What was refused, for the metrics.
  std::optional<Refusal> refusal = {};

  // `value` must not come from outside unchecked: CR and LF in it are a bug and abort.
  void AddHeader(std::string_view name, std::string_view value);
  void Clear();
  std::string_view Body() const { return shared_body ? std::string_view(*shared_body) : body; }
};

}  // namespace maejin::http
