// Addresses of concerts' pictures.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "domain/booking/picture.h"

namespace maejin::http {

// The address contains the picture's version. A new picture gets a new address, so browsers may cache each
// for a year.
inline std::string PictureUrl(PictureKind kind, std::int64_t concert, std::string_view version) {
  return fmt::format("/api/v1/concerts/{}/{}?v={}", concert, Name(kind), version);
}

}  // namespace maejin::http
