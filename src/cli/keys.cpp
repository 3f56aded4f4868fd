#include "cli/keys.h"

#include <cstdio>

#include <fmt/format.h>

#include "adapters/embedded/data_folder.h"
#include "adapters/embedded/key_store.h"
#include "base/random.h"
#include "cli/admin_client.h"

namespace maejin::cli {
namespace {

int RotateThrough(const std::string& server, const Config& config) {
  auto client = AdminClient(server, config);
  if (!client) return Fail(client.error());
  const auto answer =
      client->Call({.method = "POST", .target = "/api/v1/admin/keys/rotate", .body = {}, .headers = {}});
  if (!answer) return Fail(answer.error());
  if (answer->status != 200)
    return Fail(fmt::format("{} answered {}: {}", server, answer->status, answer->body));
  fmt::print("{}\n", answer->body);
  return kExitDone;
}

}  // namespace

int RunKeysRotate(const Invocation& invocation) {
  const auto& config = invocation.config;
  if (const auto server = RunningServer(config)) return RotateThrough(*server, config);
  const auto folder = embedded::DataFolder::Open(config.data);
  if (!folder) return Fail(folder.error());
  SystemRandom random;
  auto keys = embedded::OpenKeys(config.keys, random);
  if (!keys) return Fail(keys.error());
  const auto rotated = embedded::RotateKeys(config.keys, random, **keys);
  if (!rotated) return Fail(rotated.error());
  fmt::print("{}\n", (*keys)->Jwks());
  return kExitDone;
}

}  // namespace maejin::cli
