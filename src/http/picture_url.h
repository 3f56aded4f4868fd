// Addresses of concerts' pictures.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "domain/booking/picture.h"

namespace maejin::http {

// With the version an address never shows another picture, so browsers cache it for a year.
inline std::string PictureUrl(PictureKind kind, std::int64_t concert, std::string_view version) {
  return fmt::format("/api/v1/concerts/{}/{}?v={}", concert, Name(kind), version);
}

}  // namespace maejin::http
