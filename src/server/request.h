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
// "GET"; of kOther "OTHER".
std::string_view Name(Method method);

// kChinese: in traditional characters.
enum class Language : std::uint8_t { kEnglish, kKorean, kJapanese, kChinese };
inline constexpr std::size_t kLanguages = 4;

// The headers of one request; names are compared without case.
class Headers {
 public:
  virtual ~Headers() = default;
  // The value; a view without data where the header is absent, so that an empty value differs from none.
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
  // For logs and other services: the client's X-Request-Id, or an id that the server made. Empty: the client
  // sent neither X-Request-Id nor traceparent, and there is no access log.
  std::string_view request_id;
  // The W3C trace context that the client sent, or empty.
  std::string_view traceparent;
  // The connection comes from a trusted proxy. `client` is then the forwarded address, if the proxy sent one.
  bool through_trusted_proxy = false;
  // A POST of another site's page, in a browser, and CORS does not allow the page's origin.
  bool from_other_site = false;
  // The connection has TLS.
  bool secure = false;
  Language language = Language::kEnglish;
  // Admin routes: the operator, for the audit log. On other routes it is the operator of an earlier request:
  // do not use it.
  std::string actor;
  // The values of the route's {placeholders}, in order, percent-decoded.
  std::array<std::string_view, kMaxParams> params{};
  // The memory of params that were percent-encoded. Only the router uses it; it is empty for most requests.
  std::string decoded_params;

  std::string_view Header(std::string_view name) const { return headers->Find(name); }
  // Also true for a header with an empty value.
  bool HasHeader(std::string_view name) const { return Header(name).data() != nullptr; }
  // True: a browser opens a page. Scripts and programs do not name text/html in Accept.
  bool AcceptsHtml() const { return headers && Header("Accept").find("text/html") != std::string_view::npos; }
  // The decoded value of a query parameter; of a repeated one the last value. Absent: the query has no such
  // parameter.
  std::optional<std::string> Query(std::string_view name) const;
};

}  // namespace maejin::http
