#include "cli/common/links.h"

#include <fmt/format.h>

namespace maejin::cli {

std::string LinkLines(const std::string& url, const config::Config& config) {
  const auto operators = config.admin_listen ? "http://" + config.admin_listen->ToString() : url;
  return fmt::format(
      "  fans        {}/\n"
      "  rankings    {}/rankings\n"
      "  console     {}/console\n"
      "  API         {}/docs\n"
      "  admin key   {}\n",
      url, url, operators, url, config.admin_key_file.string());
}

}  // namespace maejin::cli
