// The file of the setting site.logo.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "http/pages/site_look.h"

namespace maejin::app {

// The error is a sentence: the file cannot be read, or is no logo.
Result<http::SiteLogo, std::string> ReadLogo(const std::filesystem::path& path);

}  // namespace maejin::app
