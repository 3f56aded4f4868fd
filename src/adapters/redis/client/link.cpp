#include "adapters/redis/client/link.h"

#include <tuple>

#include <boost/asio/steady_timer.hpp>

#include "base/await.h"
#include "base/log.h"
#include "base/timer.h"

namespace maejin::redis {

namespace asio = boost::asio;

namespace {
// The pause before the next attempt, while no server is ready for the command.
constexpr Millis kRetryPause{20};
}  // namespace

Link::Link(asio::io_context& context, Address address, std::uint64_t seed)
    : context_(context), address_(std::move(address)), seed_(seed) {
  if (address_.topology == Topology::kCluster) return;
  const auto walk = std::make_shared<SentinelWalk>(address_.endpoints, address_.master_name);
  primary_ = std::make_shared<Node>(
      context_,
      [&context = context_, address = address_, walk] { return OpenPrimary(context, address, walk); }, seed_);
  primary_->Start();
}

void Link::Stop() {
  stopped_ = true;
  if (primary_) primary_->Stop();
  for (const auto& [endpoint, node] : nodes_) node->Stop();
}

void Link::Reset(const std::string& why) {
  if (primary_) primary_->Reset(why);
  stale_ = true;
}

bool Link::connected() const {
  if (primary_) return primary_->connected();
  for (const auto& [endpoint, node] : nodes_) {
    if (node->connected()) return true;
  }
  return nodes_.empty() && !stale_;
}

std::string Link::error() const {
  if (primary_) return primary_->error();
  for (const auto& [endpoint, node] : nodes_) {
    if (!node->connected()) return node->error();
  }
  return hash_slots_ ? "" : "no node of the cluster answers";
}

std::vector<Endpoint> Link::Primaries() const {
  if (primary_) return {primary_->endpoint()};
  return hash_slots_ ? hash_slots_->nodes() : std::vector<Endpoint>{};
}

std::shared_ptr<Node> Link::NodeAt(const Endpoint& endpoint) {
  auto& node = nodes_[endpoint];
  if (!node) {
    node = std::make_shared<Node>(
        context_,
        [&context = context_, address = address_, endpoint] {
          return OpenNode(context, address, endpoint, false);
        },
        seed_ + nodes_.size());
    node->Start();
  }
  return node;
}

std::shared_ptr<Node> Link::NodeFor(const Command& command) {
  if (primary_) return primary_;
  if (!hash_slots_) return nullptr;
  if (!command.hash_slot()) return NodeAt(hash_slots_->nodes().front());
  const auto* owner = hash_slots_->Owner(*command.hash_slot());
  return owner ? NodeAt(*owner) : nullptr;
}

Task<void> Link::Pause(Millis length) {
  SteadyTimer timer(context_.get_executor(), length);
  std::ignore = co_await timer.async_wait(kAwait);
}

// Asks the known servers, then those of the address, until one returns a map. One refresh runs at a time:
// another call only pauses, and then uses the map that is there.
Task<bool> Link::RefreshHashSlots() {
  if (refreshing_) {
    co_await Pause(kRetryPause);
    co_return hash_slots_.has_value();
  }
  refreshing_ = true;
  auto candidates = hash_slots_ ? hash_slots_->nodes() : std::vector<Endpoint>{};
  candidates.insert(candidates.end(), address_.endpoints.begin(), address_.endpoints.end());
  bool found = false;
  const Command question{"CLUSTER", "SLOTS"};
  for (const auto& endpoint : candidates) {
    auto answer = co_await AskOnce(context_, address_, endpoint, question);
    if (!answer) continue;
    auto map = HashSlotMap::Decode(*answer, endpoint);
    if (!map) continue;
    hash_slots_ = std::move(map);
    stale_ = false;
    found = true;
    break;
  }
  refreshing_ = false;
  co_return found;
}

void Link::Follow(const Redirect& redirect, std::shared_ptr<Node>& node, bool& asking) {
  asking = false;
  switch (redirect.next) {
    case Redirect::Next::kMoved:
      if (hash_slots_) hash_slots_->SetOwner(redirect.hash_slot, redirect.node);
      stale_ = true;
      node = NodeAt(redirect.node);
      break;
    case Redirect::Next::kAsk:
      node = NodeAt(redirect.node);
      asking = true;
      break;
    case Redirect::Next::kLost:
      if (primary_) primary_->Reset(node->endpoint().ToString() + ": no longer the primary");
      stale_ = true;
      node = nullptr;
      break;
    default:
      break;
  }
}

Task<CallResult> Link::Call(Command command) {
  const auto self = shared_from_this();
  const auto deadline = std::chrono::steady_clock::now() + address_.timeout;
  std::shared_ptr<Node> node;
  bool asking = false;
  std::string why = "Redis is not connected";
  for (;;) {
    if (!primary_ && stale_ && !node) co_await RefreshHashSlots();
    if (!node) node = NodeFor(command);
    bool pause = node == nullptr;
    if (node) {
      auto result = co_await node->Call(command, deadline, asking);
      if (!result) {
        if (primary_ || result.error().kind != RedisError::Kind::kUnavailable) co_return result;
        why = result.error().text;
        stale_ = pause = true;
        node = nullptr;
      } else {
        const auto redirect = ReadRedirect(*result, node->endpoint());
        if (redirect.next == Redirect::Next::kDone) {
          if (result->is_error()) co_return RedisError::Refused(std::move(result->text));
          co_return result;
        }
        why = result->text;
        pause = redirect.next == Redirect::Next::kTryAgain || redirect.next == Redirect::Next::kLost;
        Follow(redirect, node, asking);
      }
    }
    if (stopped_ || std::chrono::steady_clock::now() >= deadline) co_return RedisError::Unavailable(why);
    if (pause) co_await Pause(kRetryPause);
  }
}

Task<CallResult> Link::Eval(const Script* script, ScriptArguments arguments) {
  auto result = co_await Call(arguments.BySha(*script));
  if (result || result.error().kind != RedisError::Kind::kRefused) co_return result;
  if (!result.error().text.starts_with("NOSCRIPT")) co_return result;
  auto again = co_await Call(arguments.ByText(*script));
  co_return again;
}

}  // namespace maejin::redis
