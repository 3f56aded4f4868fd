// One thread's access to a standalone server, a primary behind sentinels, or a cluster. Follows failovers and
// moving hash slots. A command that Redis certainly did not execute is retried until its deadline.
//
// Belongs to the thread of its io_context.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "adapters/redis/client/node.h"
#include "adapters/redis/client/redirect.h"
#include "adapters/redis/client/script.h"
#include "adapters/redis/client/url.h"

namespace maejin::redis {

class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(boost::asio::io_context& context, Address address, std::uint64_t seed);

  void Stop();
  // Call after a failover: looks for the primary again at once.
  void Reset(const std::string& why);

  // An error reply is kRefused.
  Task<CallResult> Call(Command command);
  Task<CallResult> Eval(const Script* script, ScriptArguments arguments);

  boost::asio::io_context& context() { return context_; }
  // True: a connection is open. In a cluster: to at least one server, or the hash slots are known and no
  // server was called yet.
  bool connected() const;
  std::string error() const;
  // Every primary that this link knows; empty in a cluster before the first call.
  std::vector<Endpoint> Primaries() const;

 private:
  std::shared_ptr<Node> NodeFor(const Command& command);
  std::shared_ptr<Node> NodeAt(const Endpoint& endpoint);
  Task<bool> RefreshHashSlots();
  Task<void> Pause(Millis length);
  void Follow(const Redirect& redirect, std::shared_ptr<Node>& node, bool& asking);

  boost::asio::io_context& context_;
  Address address_;
  std::uint64_t seed_;
  std::shared_ptr<Node> primary_;                    // null in a cluster
  std::map<Endpoint, std::shared_ptr<Node>> nodes_;  // in a cluster
  std::optional<HashSlotMap> hash_slots_;
  bool refreshing_ = false;
  bool stale_ = true;  // read hash_slots_ again before the next command
  bool stopped_ = false;
};

}  // namespace maejin::redis
