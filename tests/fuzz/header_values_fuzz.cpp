// Values of headers: cookies, the chain of proxies, languages and entity tags. Each comes from a parsed head,
// as in the server.
#include "http/cookies.h"
#include "http/entity_tag.h"
#include "server/client_address.h"
#include "server/language.h"
#include "server/request_head.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;
using maejin::http::FindCookie;
using maejin::http::ProxyTrust;

const ProxyTrust& Trust() {
  static const auto trust = ProxyTrust::Parse({"10.0.0.0/8", "::1", "2001:db8::/33"}).value();
  return trust;
}

void CheckCookies(std::string_view header) {
  const auto value = FindCookie(header, "a");
  Must(value.find(';') == std::string_view::npos);
  if (!value.empty()) Must(value.data() >= header.data() && value.data() < header.data() + header.size());
  // A later cookie of the same name does not replace the first; one of another name is not confused with it.
  const auto longer = std::string(header) + "; a=last";
  if (!value.empty()) Must(FindCookie(longer, "a") == value);
  if (header.find("a=") == std::string_view::npos) Must(FindCookie(longer, "a") == "last");
  const auto before = "xa=1; " + std::string(header);
  if (!value.empty()) Must(FindCookie(before, "a") == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckCookies(text);
  maejin::http::PreferredLanguage(text);
  maejin::http::MatchesTag(text, "\"a\"");
  const auto head_text = "GET / HTTP/1.1\r\nHost: x\r\n" + text + "\r\n\r\n";
  maejin::http::HeadScanner scanner;
  if (scanner.Scan(head_text) != maejin::http::HeadScanner::State::kComplete) return 0;
  maejin::http::RequestHead head;
  const auto first = head_text.substr(0, scanner.length());
  if (head.Parse(first, {}) != maejin::http::HeadError::kNone) return 0;
  const auto client = Trust().ClientOf(head);
  if (client.empty()) return 0;
  boost::system::error_code error;
  boost::asio::ip::make_address(client, error);
  Must(!error);
  return 0;
}
