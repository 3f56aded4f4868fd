#include "adapters/redis/client/sentinel_walk.h"

#include <algorithm>

namespace maejin::redis {

std::optional<Endpoint> SentinelWalk::Next() const {
  if (at_ >= sentinels_.size()) return {};
  return sentinels_[at_];
}

std::optional<Endpoint> SentinelWalk::DecodePrimary(const Reply& reply) {
  const auto port = reply.At(1).AsInteger();
  if (!reply.is_array() || reply.At(0).text.empty() || port <= 0 || port > UINT16_MAX) return {};
  return Endpoint{reply.At(0).text, static_cast<std::uint16_t>(port)};
}

std::optional<Endpoint> SentinelWalk::OnReply(const Reply& reply) {
  auto primary = DecodePrimary(reply);
  if (!primary) {
    ++at_;
    return {};
  }
  const auto answered = sentinels_.begin() + static_cast<std::ptrdiff_t>(at_);
  std::rotate(sentinels_.begin(), answered, answered + 1);
  return primary;
}

bool SentinelWalk::IsOurSwitch(std::string_view message) const {
  return message.starts_with(master_name_) && message.size() > master_name_.size() &&
         message[master_name_.size()] == ' ';
}

}  // namespace maejin::redis
