// The targets to which a visitor may return after the line: compared as parsed URLs, never as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/url.h"

namespace maejin {

// A URL that every browser reads alike: without empty or dot segments, and without encoded slashes, dots or
// backslashes.
struct WebUrl : UrlParts {
  std::vector<std::string> segments;  // of the path, decoded once; without the last one if it is empty
};

// Absent: not such a URL.
std::optional<WebUrl> ParseWebUrl(std::string_view text);

// A returnUrls entry: a WebUrl without query and fragment.
bool IsReturnUrl(std::string_view text);

// The parsed target if an entry allows it: scheme, host and port are equal, and the entry's path is a prefix
// of the target's path by whole segments.
std::optional<WebUrl> FindAllowed(const std::vector<std::string>& return_urls, std::string_view target);

// The query, with its '?', without the parameter `name` and without parameters that are malformed; empty:
// none is left.
std::string WithoutParameter(std::string_view query, std::string_view name);

// The target with this parameter at the end of its query, in place of earlier values. Precondition: `value`
// needs no encoding.
std::string WithParameter(const WebUrl& target, std::string_view name, std::string_view value);

// A path with an optional query, for a Location header that stays on the same host. The text must begin with
// exactly one '/', and have no backslash and no control character. Bytes that a URL may not have are encoded.
// Absent: the text is no such path.
std::optional<std::string> LocalPath(std::string_view text);

// Encodes everything but unreserved characters, for a query parameter's value.
std::string EncodeParameter(std::string_view text);

}  // namespace maejin
