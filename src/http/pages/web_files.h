// The files of web/ as they travel inside the binary: written by web/build.ts when the pages are built.
#pragma once

#include <span>
#include <string_view>

namespace maejin::http {

// All views live as long as the program.
struct WebFile {
  std::string_view name;      // "home.html", "assets/home-BVjw.js"
  std::string_view language;  // "ko", "en", or empty where there is only one
  std::string_view type;
  std::string_view etag;  // with its quotes
  std::string_view plain;
  std::string_view gzip;
  std::string_view brotli;
};

std::span<const WebFile> WebFiles();

}  // namespace maejin::http
