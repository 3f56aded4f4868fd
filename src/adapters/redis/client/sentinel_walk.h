// Finds the primary. Asks the sentinels one after the other until one knows the primary's address; the next
// round starts with that sentinel. Does no I/O.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/client/command.h"
#include "adapters/redis/client/reply.h"

namespace maejin::redis {

class SentinelWalk {
 public:
  SentinelWalk(std::vector<Endpoint> sentinels, std::string master_name)
      : sentinels_(std::move(sentinels)), master_name_(std::move(master_name)) {}

  // Starts a round.
  void Start() { at_ = 0; }
  // The sentinel to ask next; absent after the last sentinel of this round.
  std::optional<Endpoint> Next() const;
  Command Question() const { return Command{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master_name_}; }
  // The address in a reply; absent where it has none.
  static std::optional<Endpoint> DecodePrimary(const Reply& reply);
  // Takes the reply of the sentinel that Next() returned. Returns the primary's address; absent where the
  // sentinel does not know it.
  std::optional<Endpoint> OnReply(const Reply& reply);
  // Call when the sentinel that Next() returned did not answer.
  void OnFailure() { ++at_; }

  // Whether a message of the channel +switch-master is about our primary.
  bool IsOurSwitch(std::string_view message) const;

 private:
  std::vector<Endpoint> sentinels_;
  std::string master_name_;
  std::size_t at_ = 0;
};

}  // namespace maejin::redis
