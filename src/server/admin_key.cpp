#include "server/admin_key.h"

#include <cstring>

#include "base/log.h"
#include "server/address_key.h"
#include "server/request_head.h"

namespace maejin::http {

std::string_view BearerToken(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!EqualIgnoringCase(authorization.substr(0, kScheme.size()), kScheme)) return {};
  auto token = authorization.substr(kScheme.size());
  while (!token.empty() && token.front() == ' ') token.remove_prefix(1);
  return token;
}

bool AdminKey::Accepts(std::string_view authorization) const {
  const auto token = BearerToken(authorization);
  if (!digest_ || token.empty()) return false;
  const auto shown = Sha256(token);
  return EqualInConstantTime(AsText(shown), AsText(*digest_));
}

AdminGate::AdminGate(AdminKey key, Metrics& metrics, FindOperator find)
    : key_(key),
      find_(std::move(find)),
      wrong_keys_(metrics.AddCounter("maejin_admin_wrong_keys_total", "Requests with a wrong admin key.")),
      limited_(metrics.AddCounter("maejin_admin_limited_total",
                                  "Admin requests refused because their address sent many wrong keys.")),
      forbidden_(metrics.AddCounter("maejin_admin_forbidden_total",
                                    "Admin requests refused because the role of their key was too low.")) {}

bool AdminGate::Accepts(std::string_view authorization, OperatorIdentity& identity) const {
  if (key_.Accepts(authorization)) {
    identity.actor = kFileKeyActor;
    identity.role = OperatorRole::kOwner;
    return true;
  }
  const auto token = BearerToken(authorization);
  if (!find_ || token.empty()) return false;
  auto found = find_(Sha256(token));
  if (found) identity = std::move(*found);
  return found.has_value();
}

AdminVerdict AdminGate::Check(std::string_view authorization, std::string_view client, TimePoint now,
                              OperatorIdentity& identity) {
  if (any_limited_.load(std::memory_order_relaxed) && Limited(AddressKey(client), now)) {
    limited_.Add();
    return AdminVerdict::kTooManyAttempts;
  }
  if (Accepts(authorization, identity)) return AdminVerdict::kAccepted;
  const auto token = BearerToken(authorization);
  return token.empty() ? AdminVerdict::kRefused : CountWrongKey(token, client, now);
}

bool AdminGate::Limited(std::uint64_t address, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return false;
  if (now < found->second.window_end) return found->second.count > kAttempts;
  by_address_.erase(found);
  if (by_address_.empty()) any_limited_ = false;
  return false;
}

AdminVerdict AdminGate::CountWrongKey(std::string_view token, std::string_view client, TimePoint now) {
  wrong_keys_.Add();
  const auto digest = Sha256(token);
  std::uint64_t key = 0;
  std::memcpy(&key, digest.data(), sizeof key);
  const std::lock_guard lock(mutex_);
  if (by_address_.size() >= kAddresses) {
    std::erase_if(by_address_, [&](const auto& entry) { return now >= entry.second.window_end; });
    if (by_address_.size() >= kAddresses) by_address_.clear();
  }
  auto& attempts = by_address_[AddressKey(client)];
  if (now >= attempts.window_end) attempts = {now + kWindow, 0, 0};
  if (attempts.last_key == key) return AdminVerdict::kRefused;
  attempts.last_key = key;
  ++attempts.count;
  if (attempts.count == 1) LogWarning("http: wrong admin key from {}", client);
  if (attempts.count <= kAttempts) return AdminVerdict::kRefused;
  any_limited_ = true;
  LogWarning("http: {} sent {} wrong admin keys; its admin requests are refused for {} s", client,
             attempts.count, kWindow.count());
  return AdminVerdict::kTooManyAttempts;
}

}  // namespace maejin::http
