// Connects an operator's command to the server that runs on its data folder.
#pragma once

#include <optional>
#include <string>

#include "cli/common/http_client.h"
#include "config/config.h"

namespace maejin::cli {

// "http://127.0.0.1:8080" of the server that runs on config.data; absent if none runs. Then the command may
// open the folder itself.
std::optional<std::string> RunningServer(const config::Config& config);

// A client that sends the admin key. The error is a sentence: the key cannot be read.
Result<HttpClient, std::string> AdminClient(const std::string& server, const config::Config& config);

}  // namespace maejin::cli
