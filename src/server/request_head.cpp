#include "server/request_head.h"

#include <charconv>
#include <cstring>

#include "base/ascii.h"
#include "server/field_characters.h"

namespace maejin::http {
namespace {

enum CharClass : std::uint8_t {
  kToken = 1,   // RFC 9110 tchar
  kTarget = 2,  // visible ASCII but '#': a request has no fragment
  kValue = 4,   // field-content: visible, space, tab, obs-text; no other control character
  kHost = 8,    // uri-host and port
};

constexpr std::array<std::uint8_t, 256> MakeClasses() {
  std::array<std::uint8_t, 256> classes{};
  constexpr std::string_view kHostMarks = "-._~!$&'()*+;=%:[]";
  for (unsigned c = 0; c < 256; ++c) {
    const char text = static_cast<char>(c);
    std::uint8_t bits = 0;
    if (IsTokenCharacter(text)) bits |= kToken;
    if (c > 0x20 && c < 0x7f && c != '#') bits |= kTarget;
    if (IsFieldCharacter(text)) bits |= kValue;
    if (IsLetterOrDigit(text) || kHostMarks.find(text) != std::string_view::npos) bits |= kHost;
    if (c == 0) bits = 0;
    classes[c] = bits;
  }
  return classes;
}
constexpr auto kClasses = MakeClasses();

bool AllOf(std::string_view text, std::uint8_t bits) {
  std::uint8_t all = bits;
  for (const char c : text) all &= kClasses[static_cast<unsigned char>(c)];
  return all != 0;
}

// AllOf(), eight bytes at a time, because values and targets are nearly always visible ASCII. `strange` marks
// the bytes of a word that AllOf() must check one by one.
template <class Strange>
bool AllOf(std::string_view text, std::uint8_t bits, Strange&& strange) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((strange(word) & 0x8080808080808080) != 0) break;
  }
  return AllOf(text.substr(at), bits);
}
// Sets the high bit of each byte that is below `limit` (at most 0x80), or equal to `byte`. Bytes above a
// match may be marked falsely.
constexpr std::uint64_t kEach = 0x0101010101010101;
std::uint64_t Below(std::uint64_t word, std::uint64_t limit) { return (word - kEach * limit) & ~word; }
std::uint64_t Equal(std::uint64_t word, std::uint64_t byte) { return Below(word ^ kEach * byte, 1); }

bool IsFieldValue(std::string_view text) {
  return AllOf(text, kValue, [](std::uint64_t word) { return Below(word, 0x20) | Equal(word, 0x7f); });
}
bool IsTarget(std::string_view text) {
  return AllOf(text, kTarget, [](std::uint64_t word) {
    return Below(word, 0x21) | Equal(word, 0x7f) | Equal(word, '#') | word;
  });
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

Method ToMethod(std::string_view name) {
  switch (name.size()) {
    case 3:
      return name == "GET" ? Method::kGet : name == "PUT" ? Method::kPut : Method::kOther;
    case 4:
      return name == "POST" ? Method::kPost : name == "HEAD" ? Method::kHead : Method::kOther;
    case 5:
      return name == "PATCH" ? Method::kPatch : Method::kOther;
    case 6:
      return name == "DELETE" ? Method::kDelete : Method::kOther;
    case 7:
      return name == "OPTIONS" ? Method::kOptions : Method::kOther;
    default:
      return Method::kOther;
  }
}

// Fields that may occur only once: two parsers could choose different values.
enum Once : std::uint32_t {
  kHostField = 1,
  kContentLength = 2,
  kTransferEncoding = 4,
  kAuthorization = 8,
  kContentType = 16,
  kIdempotencyKey = 32,
  kExpect = 64,
  kUserId = 128,
  kQueueToken = 256,
};

}  // namespace

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a == b) return true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && ToLower(a[i]) != ToLower(b[i])) return false;
  }
  return true;
}

HeadScanner::State HeadScanner::Scan(std::string_view bytes) {
  while (at_ < bytes.size()) {
    const auto* from = bytes.data() + at_;
    const auto* found = static_cast<const char*>(std::memchr(from, '\n', bytes.size() - at_));
    if (!found) {
      at_ = static_cast<std::uint32_t>(bytes.size());
      break;
    }
    const auto at = static_cast<std::uint32_t>(found - bytes.data());
    if (at == line_ || bytes[at - 1] != '\r') return State::kMalformed;
    const bool empty = at == line_ + 1;
    at_ = at + 1;
    line_ = at_;
    if (empty) return State::kComplete;
  }
  return State::kIncomplete;
}

HeadError RequestHead::Parse(std::string_view head, const HeadLimits& limits) {
  count_ = 0;
  content_length_ = 0;
  seen_ = 0;
  chunked_ = expects_continue_ = coded_body_ = wants_close_ = wants_keep_alive_ = false;
  accept_language_ = {};
  trace_ = {};
  auto end = head.find('\n');
  auto error = ParseRequestLine(head.substr(0, end - 1), limits);
  for (auto start = end + 1; error == HeadError::kNone; start = end + 1) {
    end = head.find('\n', start);
    const auto line = head.substr(start, end - 1 - start);
    if (line.empty()) return Check();
    error = ParseField(line);
  }
  return error;
}

HeadError RequestHead::ParseRequestLine(std::string_view line, const HeadLimits& limits) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return HeadError::kMalformed;
  method_name_ = line.substr(0, first);
  target_ = line.substr(first + 1, last - first - 1);
  const auto version = line.substr(last + 1);
  if (!AllOf(method_name_, kToken) || method_name_.empty()) return HeadError::kMalformed;
  if (target_.empty() || !IsTarget(target_)) return HeadError::kMalformed;
  if (version.size() != 8 || version.substr(0, 5) != "HTTP/" || version[6] != '.' || !IsDigit(version[5]) ||
      !IsDigit(version[7])) {
    return HeadError::kMalformed;
  }
  if (version[5] != '1') return HeadError::kVersion;
  http10_ = version[7] == '0';
  keep_alive_ = !http10_;
  method_ = ToMethod(method_name_);
  if (method_ == Method::kOther) return HeadError::kMethod;
  if (target_.size() > limits.target) return HeadError::kTargetTooLong;
  return ParseTarget();
}

// Accepts the origin form, the absolute form (as every server must), and `*` for OPTIONS.
HeadError RequestHead::ParseTarget() {
  auto rest = target_;
  if (rest.front() != '/') {
    if (rest == "*") {
      path_ = rest;
      query_ = {};
      return method_ == Method::kOptions ? HeadError::kNone : HeadError::kMalformed;
    }
    const auto scheme = rest.find("://");
    if (scheme == std::string_view::npos) return HeadError::kMalformed;
    const auto name = rest.substr(0, scheme);
    if (!EqualIgnoringCase(name, "http") && !EqualIgnoringCase(name, "https")) return HeadError::kMalformed;
    rest.remove_prefix(scheme + 3);
    const auto authority = rest.substr(0, rest.find_first_of("/?"));
    if (authority.empty() || !AllOf(authority, kHost)) return HeadError::kMalformed;
    rest.remove_prefix(authority.size());
  }
  const auto mark = rest.find('?');
  path_ = rest.substr(0, mark);
  query_ = mark == std::string_view::npos ? std::string_view{} : rest.substr(mark + 1);
  if (path_.empty()) path_ = "/";
  return HeadError::kNone;
}

HeadError RequestHead::ParseField(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return HeadError::kMalformed;
  // This also refuses folded lines and a space before the colon: a space is no token character.
  const auto name = line.substr(0, colon);
  if (!AllOf(name, kToken)) return HeadError::kMalformed;
  const auto value = Trim(line.substr(colon + 1));
  if (!IsFieldValue(value)) return HeadError::kMalformed;
  if (count_ == kMaxFields) return HeadError::kTooLarge;
  fields_[count_++] = {name, value};
  return ParseKnownField(fields_[count_ - 1]);
}

HeadError RequestHead::ParseKnownField(const Field& field) {
  const auto once = [&](Once bit) {
    const bool again = (seen_ & bit) != 0;
    seen_ |= bit;
    return again ? HeadError::kMalformed : HeadError::kNone;
  };
  const auto is = [&](std::string_view name) { return EqualIgnoringCase(field.name, name); };
  switch (field.name.size()) {
    case 4:
      if (!is("Host")) break;
      if (!AllOf(field.value, kHost)) return HeadError::kMalformed;
      return once(kHostField);
    case 6: {
      if (!is("Expect")) break;
      if (!EqualIgnoringCase(field.value, "100-continue")) return HeadError::kExpectation;
      expects_continue_ = !http10_;
      return once(kExpect);
    }
    case 9:
      if (is("X-User-Id")) return once(kUserId);
      break;
    case 10:
      if (is("Connection")) return ParseConnection(field.value);
      break;
    case 11:
      if (is("traceparent") && trace_.traceparent.empty()) trace_.traceparent = field.value;
      break;
    case 12:
      if (is("X-Request-Id") && trace_.request_id.empty()) trace_.request_id = field.value;
      if (is("Content-Type")) return once(kContentType);
      break;
    case 13:
      if (is("Authorization")) return once(kAuthorization);
      if (is("X-Queue-Token")) return once(kQueueToken);
      break;
    case 14: {
      if (!is("Content-Length")) break;
      const auto* last = field.value.data() + field.value.size();
      const auto [at, error] = std::from_chars(field.value.data(), last, content_length_);
      if (error != std::errc{} || at != last || field.value.size() > 19) return HeadError::kMalformed;
      return once(kContentLength);
    }
    case 15:
      if (is("Accept-Language") && accept_language_.empty()) accept_language_ = field.value;
      if (is("Idempotency-Key")) return once(kIdempotencyKey);
      break;
    case 16:
      if (is("Content-Encoding") && !EqualIgnoringCase(field.value, "identity")) coded_body_ = true;
      break;
    case 17:
      if (!is("Transfer-Encoding")) break;
      if (once(kTransferEncoding) != HeadError::kNone) return HeadError::kMalformed;
      return ParseTransferEncoding(field.value);
    default:
      break;
  }
  return HeadError::kNone;
}

HeadError RequestHead::ParseTransferEncoding(std::string_view value) {
  if (http10_) return HeadError::kMalformed;
  if (EqualIgnoringCase(value, "chunked")) {
    chunked_ = true;
    return HeadError::kNone;
  }
  std::string_view final;
  int chunked_codings = 0;
  ForEachListed(value, [&](std::string_view coding) {
    final = coding;
    chunked_codings += EqualIgnoringCase(coding, "chunked");
    return true;
  });
  // If chunked is not last, or occurs twice, the end of the body is undefined.
  const bool ends = chunked_codings == 1 && EqualIgnoringCase(final, "chunked");
  return ends && final.data() != value.data() ? HeadError::kTransferCoding : HeadError::kMalformed;
}

HeadError RequestHead::ParseConnection(std::string_view value) {
  bool tokens = true;
  bool keep = false;
  bool close = false;
  ForEachListed(value, [&](std::string_view option) {
    tokens = AllOf(option, kToken);
    close = close || EqualIgnoringCase(option, "close");
    keep = keep || EqualIgnoringCase(option, "keep-alive");
    return tokens;
  });
  if (!tokens) return HeadError::kMalformed;
  wants_close_ = wants_close_ || close;
  wants_keep_alive_ = wants_keep_alive_ || keep;
  // `close` wins over `keep-alive`.
  keep_alive_ = !wants_close_ && (!http10_ || wants_keep_alive_);
  return HeadError::kNone;
}

HeadError RequestHead::Check() const {
  if (!http10_ && (seen_ & kHostField) == 0) return HeadError::kMalformed;
  if ((seen_ & kContentLength) != 0 && (seen_ & kTransferEncoding) != 0) return HeadError::kMalformed;
  return HeadError::kNone;
}

std::string_view RequestHead::Find(std::string_view name) const {
  for (const auto& field : *this) {
    if (field.name.size() == name.size() && EqualIgnoringCase(field.name, name)) return field.value;
  }
  return {};
}

}  // namespace maejin::http
