#include "cli/common/admin_client.h"

#include "adapters/embedded/data_folder.h"
#include "config/secret_file.h"

namespace maejin::cli {

std::optional<std::string> RunningServer(const config::Config& config) {
  auto address = embedded::DataFolder::RunningServer(config.data);
  if (address.empty()) return std::nullopt;
  return address;
}

Result<HttpClient, std::string> AdminClient(const std::string& server, const config::Config& config) {
  const auto key = config::ReadSecret(config.admin_key_file, "admin key");
  if (!key) return key.error();
  HttpClient client(server);
  client.AddHeader("Authorization", "Bearer " + key->text);
  return client;
}

}  // namespace maejin::cli
