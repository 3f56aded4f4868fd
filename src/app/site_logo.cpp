#include "app/site_logo.h"

#include <fstream>

#include <fmt/format.h>

#include "domain/booking/picture.h"

namespace maejin::app {

Result<http::SiteLogo, std::string> ReadLogo(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kLogoLimits.bytes + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  auto logo = bytes.empty() ? Result<http::SiteLogo, std::string>(std::string("cannot be read"))
                            : http::MakeLogo(std::move(bytes));
  if (!logo) return fmt::format("site.logo: {} {}", path.string(), logo.error());
  return logo;
}

}  // namespace maejin::app
