#include "http/site_address.h"

#include <algorithm>

#include "domain/waiting_room/return_url.h"

namespace maejin::http {
namespace {

// The first value of a header that only a trusted proxy may set.
std::string_view ForwardedHeader(const Request& request, std::string_view name) {
  if (!request.through_trusted_proxy) return {};
  const auto value = request.Header(name);
  return value.substr(0, value.find(','));
}

std::string_view SiteScheme(const Request& request) {
  const auto forwarded = ForwardedHeader(request, "X-Forwarded-Proto");
  if (forwarded.empty()) return request.secure ? "https" : "http";
  return forwarded == "https" ? "https" : "http";
}

std::string_view SiteHost(const Request& request) {
  const auto forwarded = ForwardedHeader(request, "X-Forwarded-Host");
  return forwarded.empty() ? request.Header("Host") : forwarded;
}

// A dot may end the name of a host; the address without it is the same.
std::optional<WebUrl> SiteUrl(std::string_view scheme, std::string_view host) {
  const auto port = std::min(host.rfind(':'), host.size());
  auto name = host.substr(0, port);
  if (name.ends_with('.')) name.remove_suffix(1);
  return ParseWebUrl(std::string(scheme) + "://" + std::string(name) + std::string(host.substr(port)));
}

}  // namespace

std::optional<std::string> OriginOf(const Request& request) {
  const auto url = SiteUrl(SiteScheme(request), SiteHost(request));
  if (!url) return {};
  return url->Origin();
}

std::string_view SecureAttribute(const Request& request) {
  return SiteScheme(request) == "https" ? "; Secure" : "";
}

std::string PublicOrigin(const Request& request, std::string_view public_url) {
  if (!public_url.empty()) return std::string(public_url);
  return OriginOf(request).value_or("");
}

std::optional<std::string> OriginalPath(const Request& request) {
  for (const auto* name : {"X-Forwarded-Uri", "X-Original-URI"}) {
    if (!request.through_trusted_proxy) return {};
    const auto path = request.Header(name);
    if (path.starts_with('/')) return std::string(path);
  }
  const auto whole = ParseWebUrl(request.through_trusted_proxy ? request.Header("X-Original-URL") : "");
  if (!whole) return {};
  return whole->path + whole->query;
}

std::optional<std::string> OriginalUrl(const Request& request) {
  if (!request.through_trusted_proxy) return {};
  // A gateway that sends X-Forwarded-Uri may pass on an X-Original-URL that the visitor wrote. So it counts
  // only without X-Forwarded-Uri.
  const auto whole = request.Header("X-Original-URL");
  if (!whole.empty() && request.Header("X-Forwarded-Uri").empty()) return std::string(whole);
  const auto path = OriginalPath(request);
  const auto origin = OriginOf(request);
  if (!path || !origin) return {};
  return *origin + *path;
}

std::vector<std::string> AuthoritiesOf(const Request& request) {
  std::vector<std::string> authorities;
  // If no proxy names the scheme, it is unknown: the port may be the default of http or of https.
  const bool known = request.secure || !ForwardedHeader(request, "X-Forwarded-Proto").empty();
  for (const std::string_view scheme : {"https", "http"}) {
    if (known && scheme != SiteScheme(request)) continue;
    if (const auto url = SiteUrl(scheme, SiteHost(request))) authorities.push_back(url->Authority());
  }
  return authorities;
}

bool IsOwnPage(const Request& request, std::string_view public_url) {
  const bool reads = request.method == Method::kGet || request.method == Method::kHead;
  const auto site = request.Header("Sec-Fetch-Site");
  const bool direct = site == "none" && reads;  // typed by the user
  if (!site.empty() && site != "same-origin" && !direct) return false;
  const auto origin = request.Header("Origin");
  if (origin.empty()) return reads;
  if (!public_url.empty() && origin == public_url) return true;
  const auto url = ParseWebUrl(origin);
  const bool secure = PublicOrigin(request, public_url).starts_with("https:");
  if (!url || (secure && !origin.starts_with("https:"))) return false;
  const auto own = AuthoritiesOf(request);
  return std::find(own.begin(), own.end(), url->Authority()) != own.end();
}

bool OpensPage(const Request& request, bool may_be_framed) {
  if (request.Header("Sec-Purpose").starts_with("prefetch")) return false;
  const auto destination = request.Header("Sec-Fetch-Dest");
  if (destination.empty() || destination == "document") return true;
  return may_be_framed && destination == "iframe";
}

std::string WaitUrl(std::string_view origin, std::string_view room,
                    const std::optional<std::string>& return_to) {
  std::string url(origin);
  url.append("/wait/").append(EncodeParameter(room));
  if (return_to) url.append("?return=").append(EncodeParameter(*return_to));
  return url;
}

}  // namespace maejin::http
