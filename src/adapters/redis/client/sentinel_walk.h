// Who is the primary? Sentinels are asked one after the other until one knows; the one that knew is asked
// first the next time. Decides only.
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

  // Begins a round.
  void Start() { at_ = 0; }
  // Whom to ask next; absent when this round has asked everybody.
  std::optional<Endpoint> Next() const;
  Command Question() const { return Command{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master_name_}; }
  // The address an answer names; absent where it names none.
  static std::optional<Endpoint> ReadPrimary(const Reply& reply);
  // The answer of Next(): the primary's address, or absent where it does not know one.
  std::optional<Endpoint> OnReply(const Reply& reply);
  // Next() could not be reached.
  void OnFailure() { ++at_; }

  // Whether a message of the channel +switch-master is about our primary.
  bool IsOurSwitch(std::string_view message) const;

 private:
  std::vector<Endpoint> sentinels_;
  std::string master_name_;
  std::size_t at_ = 0;
};

}  // namespace maejin::redis
