#include "cli/erase.h"

#include <cstdio>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "cli/common/operator_server.h"

namespace maejin::cli {
namespace {

std::string PathSegment(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

int RunErase(const Invocation& invocation) {
  const auto user = invocation.Text("user");
  if (user.empty()) return FailUsage("erase needs --user ID");
  auto server = OperatorServer::Reach(invocation.config);
  if (!server) return Fail(server.error());
  HttpCall call;
  call.method = "DELETE";
  call.target = "/api/v1/admin/users/" + PathSegment(user);
  const auto answer = server->Ask(call);
  if (!answer) {
    const auto& error = answer.error();
    return error.status == 400 ? FailUsage(error.sentence) : Fail(error.sentence);
  }
  if (invocation.json) {
    std::puts(answer->body.c_str());
  } else {
    const auto erased = boost::json::parse(answer->body).at("reservations").to_number<std::int64_t>();
    fmt::print("erased; {} reservations keep their figures under a pseudonym\n", erased);
  }
  return kExitDone;
}

}  // namespace maejin::cli
