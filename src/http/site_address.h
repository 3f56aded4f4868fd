// The addresses of a request as browsers see them. X-Forwarded-* and X-Original-* count only if a trusted
// proxy sent them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/request.h"

namespace maejin::http {

// scheme://host[:port] of the request; absent where the Host header is no host.
std::optional<std::string> OriginOf(const Request& request);

// What a cookie for this request's host ends with: "; Secure" if the browser uses https, else nothing.
std::string_view SecureAttribute(const Request& request);

// The beginning of absolute addresses of maejin: `public_url`, or the request's own origin.
std::string PublicOrigin(const Request& request, std::string_view public_url);

// The address that the browser asked the site for; absent: no trusted proxy names it.
std::optional<std::string> OriginalUrl(const Request& request);
// The same without scheme and host: the path with its query.
std::optional<std::string> OriginalPath(const Request& request);

// host[:port] of the site, from the trusted proxy's X-Forwarded-Host, else from the Host header. A default
// port is left out. If the scheme is unknown, there is one result for http and one for https.
std::vector<std::string> AuthoritiesOf(const Request& request);

// Whether a page of this server sent the request. The headers Origin and Sec-Fetch-Site decide. Also true for
// a GET or HEAD without them, for example of an address that a user typed.
bool IsOwnPage(const Request& request, std::string_view public_url);

// Whether a browser opens the request as a page, or names no destination. False for pictures, scripts and
// prefetches, and for frames unless pages may be framed: a page of another site can request them without the
// user. Sec-Fetch-Mode does not decide: a worker that runs on Node replaces the browser's value by its own.
bool OpensPage(const Request& request, bool may_be_framed);

// The waiting page of a room, with the address to return to.
std::string WaitUrl(std::string_view origin, std::string_view room,
                    const std::optional<std::string>& return_to);

}  // namespace maejin::http
