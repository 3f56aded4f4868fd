#include "adapters/redis/client/redirect.h"

#include <charconv>

namespace maejin::redis {
namespace {

// "MOVED 3999 127.0.0.1:6381"; the host is empty if the server does not know it.
std::optional<Redirect> ParseTarget(Redirect::Next next, std::string_view text, const Endpoint& asked) {
  const auto first = text.find(' ');
  const auto second = text.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return {};
  const auto digits = text.substr(first + 1, second - first - 1);
  Redirect redirect;
  redirect.next = next;
  std::from_chars(digits.data(), digits.data() + digits.size(), redirect.hash_slot);
  if (redirect.hash_slot >= kHashSlots) return {};
  auto address = std::string(text.substr(second + 1));
  if (address.starts_with(':')) address.insert(0, asked.host);
  const auto node = Endpoint::Parse(address);
  if (!node) return {};
  redirect.node = *node;
  return redirect;
}

}  // namespace

Redirect ReadRedirect(const Reply& reply, const Endpoint& asked) {
  if (!reply.is_error()) return {};
  if (reply.IsError("MOVED")) {
    return ParseTarget(Redirect::Next::kMoved, reply.text, asked).value_or(Redirect{});
  }
  if (reply.IsError("ASK")) {
    return ParseTarget(Redirect::Next::kAsk, reply.text, asked).value_or(Redirect{});
  }
  Redirect redirect;
  if (reply.IsError("TRYAGAIN")) redirect.next = Redirect::Next::kTryAgain;
  for (const auto* code : {"READONLY", "LOADING", "CLUSTERDOWN", "MASTERDOWN", "UNBLOCKED"}) {
    if (reply.IsError(code)) redirect.next = Redirect::Next::kLost;
  }
  // The error of a script on a replica: "ERR ... -READONLY You can't write against a read only replica."
  if (reply.text.find("-READONLY ") != std::string::npos) redirect.next = Redirect::Next::kLost;
  return redirect;
}

}  // namespace maejin::redis
