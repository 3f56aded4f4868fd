// The head of one HTTP/1.x request, parsed strictly (RFC 9112). Ambiguous heads are refused: request
// smuggling relies on two parsers that disagree. No I/O, no allocation. tests/fuzz compares it with
// Boost.Beast's parser.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "server/request.h"

namespace maejin::http {

enum class HeadError : std::uint8_t {
  kNone,
  kMalformed,       // 400
  kTargetTooLong,   // 414
  kTooLarge,        // 431
  kExpectation,     // 417
  kMethod,          // 501: unknown method
  kTransferCoding,  // 501: unknown coding before the final chunked
  kVersion,         // 505
};

struct HeadLimits {
  std::size_t target = 8 * 1024;
  std::size_t whole = 16 * 1024;
};

// Finds the empty line that ends a head, however the bytes are split into reads.
class HeadScanner {
 public:
  enum class State : std::uint8_t { kIncomplete, kComplete, kMalformed };
  // `bytes` begins at the request line and has grown since the last call. Malformed: a line end that is not
  // CR LF.
  State Scan(std::string_view bytes);
  // kComplete: the head's length with its empty line.
  std::size_t length() const { return at_; }
  void Reset() { at_ = line_ = 0; }

 private:
  std::uint32_t at_ = 0;    // bytes before this offset are scanned
  std::uint32_t line_ = 0;  // start of the current line
};

// X-Request-Id and traceparent as sent, unchecked; empty: absent.
struct TraceFields {
  std::string_view request_id;
  std::string_view traceparent;
  bool empty() const { return request_id.empty() && traceparent.empty(); }
};

class RequestHead final : public Headers {
 public:
  static constexpr std::size_t kMaxFields = 64;
  struct Field {
    std::string_view name;
    std::string_view value;
  };

  // `head` is complete, as HeadScanner found it, and outlives the views taken from it.
  HeadError Parse(std::string_view head, const HeadLimits& limits);

  // The first field of that name.
  std::string_view Find(std::string_view name) const override;
  const Field* begin() const { return fields_.data(); }
  const Field* end() const { return fields_.data() + count_; }

  Method method() const { return method_; }
  std::string_view method_name() const { return method_name_; }
  std::string_view target() const { return target_; }
  std::string_view path() const { return path_; }
  std::string_view query() const { return query_; }
  std::string_view accept_language() const { return accept_language_; }
  const TraceFields& trace() const { return trace_; }
  bool http10() const { return http10_; }
  bool keep_alive() const { return keep_alive_; }
  bool chunked() const { return chunked_; }
  bool expects_continue() const { return expects_continue_; }
  // The body is compressed, or coded in another way than `identity`.
  bool coded_body() const { return coded_body_; }
  std::uint64_t content_length() const { return content_length_; }
  bool has_body() const { return chunked_ || content_length_ > 0; }

 private:
  HeadError ParseRequestLine(std::string_view line, const HeadLimits& limits);
  HeadError ParseTarget();
  HeadError ParseField(std::string_view line);
  HeadError ParseKnownField(const Field& field);
  HeadError ParseTransferEncoding(std::string_view value);
  HeadError ParseConnection(std::string_view value);
  HeadError Check() const;

  std::array<Field, kMaxFields> fields_;
  std::size_t count_ = 0;
  std::string_view method_name_;
  std::string_view target_;
  std::string_view path_;
  std::string_view query_;
  std::string_view accept_language_;
  TraceFields trace_;
  std::uint64_t content_length_ = 0;
  Method method_ = Method::kOther;
  bool http10_ = false;
  bool keep_alive_ = false;
  bool wants_close_ = false;
  bool wants_keep_alive_ = false;
  bool chunked_ = false;
  bool expects_continue_ = false;
  bool coded_body_ = false;
  std::uint32_t seen_ = 0;  // fields seen so far that may occur only once, as bits
};

// True: the texts are equal without regard to case. Field names and tokens are compared so.
bool EqualIgnoringCase(std::string_view a, std::string_view b);
// Calls `each` with every trimmed, nonempty part of a comma-separated list, until `each` returns false.
template <class Each>
void ForEachListed(std::string_view list, Each&& each) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    auto part = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    while (!part.empty() && (part.front() == ' ' || part.front() == '\t')) part.remove_prefix(1);
    while (!part.empty() && (part.back() == ' ' || part.back() == '\t')) part.remove_suffix(1);
    if (!part.empty() && !each(part)) return;
  }
}

}  // namespace maejin::http
