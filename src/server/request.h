// One parsed request, for handlers: views into the connection's buffers, valid until the response is
// complete.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace maejin::http {

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };

// kChinese: in traditional characters.
enum class Language : std::uint8_t { kEnglish, kKorean, kJapanese, kChinese };
inline constexpr std::size_t kLanguages = 4;

// The headers of one request; names are compared without case.
class Headers {
 public:
  virtual ~Headers() = default;
  // The value, or an empty view where the header is absent.
  virtual std::string_view Find(std::string_view name) const = 0;
};

struct Request {
  static constexpr std::size_t kMaxParams = 4;

  Method method = Method::kGet;
  std::string_view target;  // as sent
  std::string_view path;    // without the query
  std::string_view query;   // without the '?', still percent-encoded
  std::string_view body;    // whole; empty for upload routes, which read it from a BodyReader
  const Headers* headers = nullptr;
  // The client's address: the connection's, or the one that a trusted proxy forwarded.
  std::string_view client;
  // For logs and other services: the client's X-Request-Id, or one of the server's. Empty: the client sent
  // neither it nor a traceparent, and there is no access log.
  std::string_view request_id;
  // The W3C trace context that the client sent, or empty.
  std::string_view traceparent;
  // The connection is a trusted proxy's, so `client` says what the proxy forwarded.
  bool through_trusted_proxy = false;
  // The connection has TLS.
  bool secure = false;
  Language language = Language::kEnglish;
  // Admin routes: the operator, for the audit log. On other routes it is stale: do not use it.
  std::string actor;
  // The values of the route's {placeholders}, in order, percent-decoded.
  std::array<std::string_view, kMaxParams> params{};
  // Holds the params that were percent-encoded; the router's own, empty for most requests.
  std::string decoded_params;

  std::string_view Header(std::string_view name) const { return headers->Find(name); }
  // Browsers name text/html when they open a page; scripts and programs do not.
  bool AcceptsHtml() const { return headers && Header("Accept").find("text/html") != std::string_view::npos; }
  // The decoded value of a query parameter; of a repeated one the last value. Absent: there is none.
  std::optional<std::string> Query(std::string_view name) const;
};

// Appends the decoded text; with `plus_is_space` as in a query. False for %00 and for what is not %XX.
bool PercentDecode(std::string_view text, bool plus_is_space, std::string& out);

}  // namespace maejin::http
