#include "cli/admin_client.h"

#include "adapters/embedded/data_folder.h"
#include "cli/secret_file.h"

namespace maejin::cli {

std::optional<std::string> RunningServer(const Config& config) {
  auto address = embedded::DataFolder::RunningServer(config.data);
  if (address.empty()) return std::nullopt;
  return address;
}

Result<HttpClient, std::string> AdminClient(const std::string& server, const Config& config) {
  const auto key = ReadSecret(config.admin_key_file, "admin key");
  if (!key) return key.error();
  HttpClient client(server);
  client.AddHeader("Authorization", "Bearer " + key->text);
  return client;
}

}  // namespace maejin::cli
